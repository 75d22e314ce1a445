variable "protected" {
  description = "Whether to refuse to delete the group. Apply false before you destroy it."
  type        = bool
  default     = true
}

resource "embed_user_group" "acme" {
  user_group_id       = "acme"
  name                = "Acme Ltd"
  deletion_protection = var.protected
}
