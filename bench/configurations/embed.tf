terraform {
  required_providers {
    embed = { source = "dashembed/embed" }
  }
  backend "http" {}
}

variable "customers" {
  type = map(object({ name = string, source = string, tier = string, seats = number, region = string }))
}

variable "quarter" {
  type    = string
  default = "1"
}

# The environment variables EMBED_BASE_URL and EMBED_API_KEY contain the address and the key of the service.
provider "embed" {}

resource "embed_user_group" "customer" {
  for_each = var.customers

  user_group_id             = each.key
  name                      = each.value.name
  mapping                   = { main = each.value.source }
  properties                = jsonencode({ tier = each.value.tier, seats = each.value.seats, region = each.value.region })
  rotate_token_when_changed = { quarter = var.quarter }
}
