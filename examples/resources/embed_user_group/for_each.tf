locals {
  customers = {
    acme    = { name = "Acme Ltd", tier = "gold" }
    initech = { name = "Initech Inc.", tier = "silver" }
  }
}

# The ID is the key, so that customers can be added and removed without touching the others.
resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name
  properties    = jsonencode({ tier = each.value.tier })
}
