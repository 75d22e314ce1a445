# Needed for one apply, in the state that groups move to.

import {
  for_each = local.customers

  to = embed_user_group.customer[each.key]
  id = each.key
}
