output "tokens" {
  description = "Each customer's token, by ID. Every value is null if store_tokens is false."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}

output "token_fingerprints" {
  description = "The fingerprint of each customer's token, by ID: the start of the token's SHA-256 hash. It is not secret, and changes whenever the token does."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "ids" {
  description = "The ID of each customer. It is only known once the group exists, so an ephemeral embed_user_group_token that refers to it waits for the group."
  value       = { for id, group in embed_user_group.customer : id => group.id }
}

output "team_ids" {
  description = "The service's own number for each customer, by ID."
  value       = { for id, group in embed_user_group.customer : id => group.team_id }
}
