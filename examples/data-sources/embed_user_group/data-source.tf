# This group already exists, and is managed elsewhere.
data "embed_user_group" "acme" {
  user_group_id = "acme"
}

output "acme_name" {
  value = data.embed_user_group.acme.name
}
