locals {
  customers = {
    acme    = { name = "Acme Ltd", tier = "gold" }
    initech = { name = "Initech Inc.", tier = "silver" }
  }
}

# A map, so that each group has an address of its own and one customer can come or go without touching the others.
resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name
  properties    = jsonencode({ tier = each.value.tier })
}
