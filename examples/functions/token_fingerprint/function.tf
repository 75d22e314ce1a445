variable "stored_token" {
  type      = string
  sensitive = true
  default   = "not-the-current-one"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}

check "stored_token" {
  assert {
    condition     = provider::embed::token_fingerprint(var.stored_token) == embed_user_group.acme.token_fingerprint
    error_message = "The secret store does not contain the current token of acme."
  }
}
