variable "environment" {
  description = "Customer or Testing. Each environment has its own state and its own API key."
  type        = string
}

provider "embed" {
  # With a key for the other environment, the run stops, and no customer is changed.
  environment = var.environment
}

# The same ID in the other environment is a different group, with a different token.
resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
