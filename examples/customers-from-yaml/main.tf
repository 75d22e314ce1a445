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

locals {
  # If two entries have the same ID, yamldecode keeps only the last one. A YAML linter finds duplicates.
  customers = yamldecode(file("${path.module}/customers.yaml"))
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id       = each.key
  name                = each.value.name
  deletion_protection = true

  # Null means "not managed": the provider does not send the argument.
  mapping    = try(each.value.mapping, null)
  properties = can(each.value.properties) ? jsonencode(each.value.properties) : null
}
