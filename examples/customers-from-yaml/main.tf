terraform {
  required_version = ">= 1.0"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1"
    }
  }
}

provider "embed" {}

locals {
  # YAML refuses an id that is there twice.
  customers = yamldecode(file("${path.module}/customers.yaml"))
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name

  # Null is "not managed": what a customer does not have in the file is left alone at the service.
  mapping    = try(each.value.mapping, null)
  properties = can(each.value.properties) ? jsonencode(each.value.properties) : null
}
