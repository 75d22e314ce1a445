resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # Changing one of these values rotates the token and leaves the group in place.
  rotate_token_when_changed = {
    quarter  = "2026-Q4"
    incident = "0"
  }
}
