terraform {
  required_version = ">= 1.7" # for_each in import blocks

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

# The rehearsal sets these variables, and a pipeline sets max_deletions.
variable "environment" {
  type    = string
  default = "Customer"
}

variable "protected" {
  type    = bool
  default = true
}

variable "max_deletions" {
  type    = number
  default = 2
}

provider "embed" {
  environment   = var.environment # Delete this line if your service shows no environment.
  max_deletions = var.max_deletions
}

module "customers" {
  source = "./modules/customers"

  customers           = local.customers
  store_tokens        = false
  deletion_protection = var.protected
}

output "token_fingerprints" {
  value = module.customers.token_fingerprints
}
