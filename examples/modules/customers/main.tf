resource "embed_user_group" "customer" {
  for_each = var.customers

  user_group_id = each.key
  name          = each.value.name

  mapping    = each.value.mapping
  properties = each.value.properties

  # The prefixes keep the customer's keys apart from those for all customers. Both incident keys are always set, because
  # adding a key rotates nothing.
  rotate_token_when_changed = merge(
    { "all/incident" = "0", "own/incident" = "0" },
    { for name, value in var.rotate_token_when_changed : "all/${name}" => value if value != null },
    { for name, value in each.value.rotate_token_when_changed : "own/${name}" => value if value != null },
  )

  rotate_token_after_days = try(coalesce(each.value.rotate_token_after_days, var.rotate_token_after_days), null)

  store_token             = var.store_tokens
  deletion_protection     = coalesce(each.value.deletion_protection, var.deletion_protection)
  adopt_existing          = each.value.adopt_existing
  data_source_provided_id = each.value.data_source_provided_id
}
