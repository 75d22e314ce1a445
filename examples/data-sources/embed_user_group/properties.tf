data "embed_user_group" "acme" {
  user_group_id = "acme"

  # The state does not get to hold the token.
  store_token = false
}

locals {
  # Null where the service does not tell the properties.
  properties = try(jsondecode(data.embed_user_group.acme.properties), null)
}

output "acme_tier" {
  value = try(local.properties.tier, "unknown")
}

output "acme_token_fingerprint" {
  value = data.embed_user_group.acme.token_fingerprint
}
