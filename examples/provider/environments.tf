variable "customer_api_key" {
  description = "API key for the environment Customer."
  type        = string
  sensitive   = true
}

variable "testing_api_key" {
  description = "API key for the environment Testing."
  type        = string
  sensitive   = true
}

provider "embed" {
  api_key     = var.customer_api_key
  environment = "Customer"
}

provider "embed" {
  alias       = "testing"
  api_key     = var.testing_api_key
  environment = "Testing"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}

# The same ID in the other environment is a different group, with a different token.
resource "embed_user_group" "acme_testing" {
  provider = embed.testing

  user_group_id = "acme"
  name          = "Acme Ltd (testing)"
}
