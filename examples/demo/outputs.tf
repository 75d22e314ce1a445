output "token_fingerprints" {
  description = "Fingerprint of the token of each customer: the start of its SHA-256."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "tokens" {
  description = "The token of each customer, for the product that embeds the dashboards."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}
