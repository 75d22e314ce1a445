output "token_fingerprints" {
  description = "Fingerprint of each customer's token: the first digits of the token's SHA-256 hash."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "tokens" {
  description = "Each customer's token, for the product that embeds the dashboards."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}
