# Calls the module examples/modules/customers.

terraform {
  required_version = ">= 1.3"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {
  environment = "Customer"

  # One run can delete at most two customers, even without deletion_protection.
  max_deletions = 2
}

module "customers" {
  source = "../modules/customers"

  customers = {
    acme = {
      name       = "Acme Ltd"
      mapping    = { sales = "acme_sales" }
      properties = jsonencode({ tier = "gold", limits = { rows = 250000 } })
    }
    initech = {
      name = "Initech Inc."

      # If this customer's token has leaked, change the number to rotate the token.
      rotate_token_when_changed = { incident = "1" }
    }
  }

  rotate_token_after_days = 90
  deletion_protection     = var.protected
}

variable "protected" {
  description = "Whether to refuse to delete customers. Before you run terraform destroy, set this to false and apply."
  type        = bool
  default     = true
}

output "tokens" {
  value     = module.customers.tokens
  sensitive = true
}

output "token_fingerprints" {
  value = module.customers.token_fingerprints
}
