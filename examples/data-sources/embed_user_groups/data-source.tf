locals {
  customers = {
    acme     = "Acme Ltd"
    initech  = "Initech Inc."
    umbrella = "Umbrella AG"
  }
}

# Which of these groups exist?
data "embed_user_groups" "all" {
  user_group_ids = keys(local.customers)
}

# Imports the groups that exist. Terraform creates the others.
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
