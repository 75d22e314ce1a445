# Each customer in customers.yaml is a user group at the dashboard service.

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
provider "embed" {
  environment = "Customer"
}

locals {
  # Two customers with the same ID cause an error here.
  customers = {
    for customer in yamldecode(file("${path.module}/${var.customers_file}")) : customer.id => customer
  }
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name

  # Null means "not managed": the provider does not send the argument.
  mapping    = try(each.value.mapping, null)
  properties = can(each.value.properties) ? jsonencode(each.value.properties) : null

  # A new incident number in the file rotates the customer's token.
  rotate_token_when_changed = {
    incident = each.value.incident
  }

  # Once a token is older than 90 days, the next apply rotates it as well.
  rotate_token_after_days = 90

  # If a customer is removed from the file, the provider refuses to delete the group.
  deletion_protection = true
}
