output "token_fingerprints" {
  description = "The token fingerprint of each customer in this shard, by ID. A fingerprint changes whenever the token does."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "tokens" {
  description = "The token of each customer in this shard, by ID."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}
