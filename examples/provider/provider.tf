terraform {
  required_version = ">= 1.5"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

# The address and the key come from EMBED_BASE_URL and EMBED_API_KEY.
provider "embed" {}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # The provider refuses to delete this customer.
  deletion_protection = true
}
