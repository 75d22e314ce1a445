resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # If the group exists, take it over instead of failing. The group keeps its token.
  adopt_existing = true
}
