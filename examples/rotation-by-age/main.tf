# Rotates the token every given number of days, counted from a fixed first day: like time_rotating of hashicorp/time, but
# without another provider and without state. The first apply of a period rotates the token. Other plans show no changes.

terraform {
  required_version = ">= 1.5" # plantimestamp

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1"
    }
  }
}

provider "embed" {}

variable "token_days" {
  description = "Number of days until the token is rotated."
  type        = number
  default     = 90

  validation {
    condition     = var.token_days >= 1 && floor(var.token_days) == var.token_days
    error_message = "The token_days must be a whole number, 1 or more."
  }
}

variable "first_day" {
  description = "First day of the first period. Different days rotate customers on different days."
  type        = string
  default     = "2026-01-01T00:00:00Z"
}

variable "now" {
  description = "Time to plan for. Null means now."
  type        = string
  default     = null
}

locals {
  now = coalesce(var.now, plantimestamp())

  # Periods begin on these days. 1,000 of them are enough for 246 years at 90 days and for almost three at one day.
  beginnings = [for n in range(1000) : timeadd(var.first_day, "${n * var.token_days * 24}h")]
  period     = length([for beginning in local.beginnings : beginning if timecmp(beginning, local.now) <= 0])
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  rotate_token_when_changed = {
    period = local.period
  }
}

output "acme_token_valid_until" {
  description = "The first apply after this time rotates the token."
  value       = local.beginnings[local.period]
}
