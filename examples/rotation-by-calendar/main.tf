terraform {
  required_version = ">= 1.0"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {}

variable "token_period" {
  description = "Period of the token. A new period rotates the token with the next apply."
  type        = string
  default     = "2026-Q4"

  validation {
    condition     = can(regex("^[0-9]{4}-Q[1-4]$", var.token_period))
    error_message = "The token_period must be a year and a quarter, such as 2026-Q4."
  }
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # The token is rotated when someone applies a new period.
  rotate_token_when_changed = {
    period = var.token_period
  }
}

output "acme_token_fingerprint" {
  value = embed_user_group.acme.token_fingerprint
}
