output "tokens" {
  description = "The token of each customer, by id; null with store_tokens = false."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}

output "token_fingerprints" {
  description = "Which token each customer has, without telling it: the start of its SHA-256. It changes whenever the token does."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "ids" {
  description = "The id of each customer, known only once its group exists: for ephemeral embed_user_group_token, which then waits for it."
  value       = { for id, group in embed_user_group.customer : id => group.id }
}

output "team_ids" {
  description = "The service's own number of each customer, by id."
  value       = { for id, group in embed_user_group.customer : id => group.team_id }
}
