# Three ways to rotate tokens in place.

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
  environment   = "Customer"
  max_deletions = 2
}

variable "incidents" {
  description = "For a customer whose token has leaked, a new number."
  type        = map(number)
  default     = {}
}

locals {
  customers = {
    acme    = "Acme Ltd"
    initech = "Initech Inc."
  }

  # Not timestamp(), which would plan a rotation each time.
  today   = plantimestamp()
  quarter = "${formatdate("YYYY", local.today)}-Q${ceil(tonumber(formatdate("M", local.today)) / 3)}"
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value

  # By calendar, in the first apply of each quarter. In an emergency, when a customer's number changes.
  rotate_token_when_changed = {
    quarter  = local.quarter
    incident = tostring(lookup(var.incidents, each.key, 0))
  }

  # By age, spread over 20 days.
  rotate_token_after_days = 80 + parseint(substr(sha256(each.key), 0, 4), 16) % 20
}

# What has to restart when a token changes.
resource "terraform_data" "restart" {
  for_each = local.customers

  triggers_replace = embed_user_group.customer[each.key].token_fingerprint
}
