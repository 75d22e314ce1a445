locals {
  customers = {
    acme    = "Acme Ltd"
    initech = "Initech Inc."
  }
}

data "embed_user_groups" "all" {
  user_group_ids = keys(local.customers)
}

# Terraform creates the others.
import {
  for_each = data.embed_user_groups.all.groups

  to = embed_user_group.customer[each.key]
  id = each.key
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value
}
