# Needed for one apply, in the shard that groups move to. Groups that are already in the state of this shard are not imported again.

import {
  for_each = local.customers

  to = embed_user_group.customer[each.key]
  id = each.key
}
