terraform {
  required_version = ">= 1.0"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

# One key per environment. The addresses are the same, or come from EMBED_BASE_URL.
variable "customer_api_key" {
  description = "Key for the environment Customer."
  type        = string
  sensitive   = true
}

variable "testing_api_key" {
  description = "Key for the environment Testing."
  type        = string
  sensitive   = true
}

provider "embed" {
  alias       = "customer"
  api_key     = var.customer_api_key
  environment = "Customer" # swapped keys stop the run before they do harm
}

provider "embed" {
  alias       = "testing"
  api_key     = var.testing_api_key
  environment = "Testing"
}

locals {
  customers = {
    acme    = "Acme Ltd"
    initech = "Initech Inc."
  }
}

# The same ID exists once in each environment, each time with its own token.
resource "embed_user_group" "customer" {
  provider = embed.customer
  for_each = local.customers

  user_group_id = each.key
  name          = each.value
}

resource "embed_user_group" "testing" {
  provider = embed.testing
  for_each = local.customers

  user_group_id = each.key
  name          = "${each.value} (test)"
}
