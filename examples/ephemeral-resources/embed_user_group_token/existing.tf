# This group already exists, and is managed elsewhere.
ephemeral "embed_user_group_token" "acme" {
  user_group_id = "acme"
}
