resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # The state and the plan do not hold the token.
  store_token = false
}

# The fingerprint is not secret and changes whenever the token does.
output "acme_token_fingerprint" {
  value = embed_user_group.acme.token_fingerprint
}
