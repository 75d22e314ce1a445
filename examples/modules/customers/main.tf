resource "embed_user_group" "customer" {
  for_each = var.customers

  user_group_id = each.key
  name          = each.value.name

  mapping    = each.value.mapping
  properties = each.value.properties

  # With these prefixes, a customer's own trigger does not hide a trigger for all customers.
  rotate_token_when_changed = merge(
    { for name, value in var.token_triggers : "all/${name}" => value },
    { for name, value in each.value.token_triggers : "own/${name}" => value },
  )

  rotate_token_after_days = each.value.rotate_token_after_days != null ? each.value.rotate_token_after_days : var.rotate_token_after_days

  store_token             = var.store_tokens
  deletion_protection     = coalesce(each.value.deletion_protection, var.deletion_protection)
  adopt_existing          = each.value.adopt_existing
  data_source_provided_id = each.value.data_source_provided_id
}
