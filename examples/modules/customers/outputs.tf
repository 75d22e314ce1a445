output "tokens" {
  description = "Each customer's token, by ID."
  value       = { for id, group in embed_user_group.customer : id => group.token }
  sensitive   = true
}

output "token_fingerprints" {
  description = "The fingerprint of each customer's token, by ID."
  value       = { for id, group in embed_user_group.customer : id => group.token_fingerprint }
}

output "ids" {
  description = "The ID of each customer, known once its group exists."
  value       = { for id, group in embed_user_group.customer : id => group.id }
}

output "team_ids" {
  description = "The service's own number of each customer, by ID."
  value       = { for id, group in embed_user_group.customer : id => group.team_id }
}
