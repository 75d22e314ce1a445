resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # If a group "acme" exists, take it over instead of failing. Its token is kept.
  adopt_existing = true
}
