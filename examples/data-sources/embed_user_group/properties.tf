data "embed_user_group" "acme" {
  user_group_id = "acme"

  # Keeps the token out of the state.
  store_token = false
}

locals {
  # Null if the service does not show properties.
  properties = try(jsondecode(data.embed_user_group.acme.properties), null)
}

output "acme_tier" {
  value = try(local.properties.tier, "unknown")
}

output "acme_token_fingerprint" {
  value = data.embed_user_group.acme.token_fingerprint
}
