output "token_fingerprints" {
  description = "Which token each customer of this shard has, by ID. It changes whenever the token does."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "tokens" {
  description = "The token of each customer of this shard, by ID."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}
