variable "protected" {
  description = "Whether to refuse to delete the group. Before you run terraform destroy, set this to false and apply."
  type        = bool
  default     = true
}

resource "embed_user_group" "acme" {
  user_group_id       = "acme"
  name                = "Acme Ltd"
  deletion_protection = var.protected
}
