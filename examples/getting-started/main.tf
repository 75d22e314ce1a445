terraform {
  required_version = ">= 1.7" # for_each in import blocks

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {
  environment = "Customer"
}

locals {
  customers = { for row in csvdecode(file("${path.module}/customers.csv")) : row.id => row }
}

module "customers" {
  source = "./modules/customers"

  customers = {
    for id, row in local.customers : id => {
      name       = row.name
      properties = jsonencode({ tier = row.tier })
    }
  }
}
