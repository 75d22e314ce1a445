resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
  store_token   = false
}

# The id is known once the group exists. With the string "acme", the lookup would not wait for a creation or a change.
ephemeral "embed_user_group_token" "acme" {
  user_group_id = embed_user_group.acme.id
}
