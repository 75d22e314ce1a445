data "embed_user_group" "acme" {
  user_group_id = "acme"
  store_token   = false
}

output "acme_tier" {
  value = try(jsondecode(data.embed_user_group.acme.properties).tier, "unknown")
}
