# In the shard that groups arrive in, for one apply. What it has already is not imported again.

import {
  for_each = local.customers

  to = embed_user_group.customer[each.key]
  id = each.key
}
