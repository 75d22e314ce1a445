resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}

# An action does nothing until it is invoked.
action "embed_rotate_user_group_token" "acme" {
  config {
    user_group_id = "acme"
  }
}
