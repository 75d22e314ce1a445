# Needed for one apply, in the state that groups leave. A removed block only works for a whole resource, so the groups
# first move to an address that has no resource block.

moved {
  from = embed_user_group.customer["acme"]
  to   = embed_user_group.leaving["acme"]
}

moved {
  from = embed_user_group.customer["umbrella"]
  to   = embed_user_group.leaving["umbrella"]
}

removed {
  from = embed_user_group.leaving

  lifecycle {
    destroy = false
  }
}
