variable "stored_token" {
  description = "The token for acme from the secret store."
  type        = string
  sensitive   = true
  default     = "not-the-current-one"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}

# Warns if the secret store does not contain the current token.
check "stored_token" {
  assert {
    condition     = provider::embed::token_fingerprint(var.stored_token) == embed_user_group.acme.token_fingerprint
    error_message = "The secret store does not contain the current token of acme."
  }
}
