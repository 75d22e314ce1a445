# In the shard that groups leave, for one apply: they are forgotten, and not destroyed. A removed block takes a whole resource
# and no instance of one, so they move to a resource of their own first, which has no resource block.

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
