# The first of two root modules. It has no ephemeral resource, so you can plan it without a valid key:
#
#   EMBED_API_KEY=not-used terraform plan -refresh=false

terraform {
  required_version = ">= 1.5"

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
  description = "A new quarter rotates every token."
  type        = string
  default     = "2026-Q4"
}

locals {
  customers = {
    acme    = "Acme Ltd"
    initech = "Initech Inc."
  }
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id       = each.key
  name                = each.value
  deletion_protection = true
  store_token         = false

  rotate_token_when_changed = {
    quarter = var.quarter
  }
}

output "token_fingerprints" {
  value = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}
