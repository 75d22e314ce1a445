# How to call the module examples/modules/customers.

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
  # One run can delete at most two customers, even if deletion_protection is off.
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
      name           = "Initech Inc."
      token_triggers = { incident = "0" }
    }
  }

  token_triggers      = { quarter = "2026-Q4" }
  deletion_protection = var.protected
}

variable "protected" {
  description = "Whether to refuse to delete customers. Apply false before you destroy."
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
