# Needed for one apply. Then delete this file.

data "embed_user_groups" "all" {
  user_group_ids = keys(local.customers)
}

import {
  for_each = data.embed_user_groups.all.existing_ids

  to = module.customers.embed_user_group.customer[each.key]
  id = each.key
}

output "missing_ids" {
  description = "IDs of the customers that the apply will create. Look for typos."
  value       = data.embed_user_groups.all.missing_ids
}
