# Delete this file after the first apply.

data "embed_user_groups" "all" {
  user_group_ids = keys(local.customers)
}

import {
  for_each = data.embed_user_groups.all.groups

  to = module.customers.embed_user_group.customer[each.key]
  id = each.key
}

output "missing_ids" {
  value = data.embed_user_groups.all.missing_ids
}
