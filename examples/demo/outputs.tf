output "token_fingerprints" {
  description = "Which token each customer has, without telling the token: the start of its SHA-256."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "tokens" {
  description = "The token of each customer, for the application that embeds the dashboards."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}
