# Once the token is older than 90 days, the next apply rotates it.

terraform {
  required_version = ">= 1.0"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {
  environment = "Customer"
}

resource "embed_user_group" "acme" {
  user_group_id       = "acme"
  name                = "Acme Ltd"
  deletion_protection = true

  rotate_token_after_days = 90
}

output "acme_token_due_for_rotation_after" {
  description = "The first apply after this time rotates the token."
  value       = timeadd(embed_user_group.acme.token_rotated_at, "${embed_user_group.acme.rotate_token_after_days * 24}h")
}
