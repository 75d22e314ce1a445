terraform {
  required_version = ">= 1.7" # for_each in import blocks

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

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
  environment   = var.environment
  max_deletions = var.max_deletions
}

locals {
  customers = {
    for row in csvdecode(file("${path.module}/customers.csv")) : row.id => {
      name       = row.name
      properties = jsonencode({ tier = row.tier })

      # In the optional column "incident", a new number rotates the customer's token.
      rotate_token_when_changed = { incident = try(coalesce(row.incident, "0"), "0") }

      # "yes" in the optional column "leaving" turns off the customer's deletion protection.
      deletion_protection = try(row.leaving == "yes" ? false : null, null)
    }
  }
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
