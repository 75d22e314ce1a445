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

variable "quarter" {
  description = "Quarter of the latest scheduled rotation. With a new quarter, the next apply rotates the token."
  type        = string
  default     = "2026-Q4"

  validation {
    condition     = can(regex("^[0-9]{4}-Q[1-4]$", var.quarter))
    error_message = "The quarter must have the form YYYY-Qn, such as 2026-Q4."
  }
}

resource "embed_user_group" "acme" {
  user_group_id       = "acme"
  name                = "Acme Ltd"
  deletion_protection = true

  rotate_token_when_changed = {
    quarter = var.quarter
  }
}

output "acme_token_fingerprint" {
  value = embed_user_group.acme.token_fingerprint
}
