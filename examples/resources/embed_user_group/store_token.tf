resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # Keeps the token out of state and plan.
  store_token = false
}

# The fingerprint is not secret. It changes whenever the token does.
output "acme_token_fingerprint" {
  value = embed_user_group.acme.token_fingerprint
}
