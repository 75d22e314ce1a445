resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
  store_token   = false
}

# The id is known once the group exists. With the string "acme", the first plan would look up a group that does not exist yet.
ephemeral "embed_user_group_token" "acme" {
  user_group_id = embed_user_group.acme.id
}
