# The group is managed elsewhere and exists.
ephemeral "embed_user_group_token" "acme" {
  user_group_id = "acme"
}
