locals {
  customers = {
    acme    = "Acme Ltd"
    initech = "Initech Inc."
  }
}

import {
  for_each = local.customers

  to = embed_user_group.customer[each.key]
  id = each.key
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value
}
