output "token_fingerprints" {
  description = "Fingerprint of each customer's token: the start of the token's SHA-256."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "tokens" {
  description = "Each customer's token, for the product that embeds the dashboards."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}
