variable "incident" {
  description = "Number of the latest incident. Applying a new number rotates the token."
  type        = string
  default     = "0"
}

resource "terraform_data" "incident" {
  input = var.incident

  # Create the group before the action runs.
  depends_on = [embed_user_group.acme]

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.embed_rotate_user_group_token.acme]
    }
  }
}
