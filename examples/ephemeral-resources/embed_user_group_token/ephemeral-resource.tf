resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
  store_token   = false
}

# By id, which is known once the group exists: so the first plan does not look for a group that is not there yet.
ephemeral "embed_user_group_token" "acme" {
  user_group_id = embed_user_group.acme.id
}
