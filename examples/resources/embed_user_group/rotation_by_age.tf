resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  rotate_token_after_days = 90
}
