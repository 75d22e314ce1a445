terraform {
  required_version = ">= 1.5"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {
  environment = "Customer"

  # If more customers than this have been removed from the file, the plan fails.
  max_deletions = var.max_deletions
}

variable "max_deletions" {
  description = "How many customers one run may delete."
  type        = number
  default     = 1
}

locals {
  # A map with the IDs as keys. Two rows with the same ID are an error.
  customers = { for row in csvdecode(file("${path.module}/customers.csv")) : row.id => row }
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name

  # An empty cell means that the schema has no data source.
  mapping = {
    for schema, source in {
      sales   = each.value.sales_source
      billing = each.value.billing_source
    } : schema => source if source != ""
  }

  # All values that csvdecode returns are strings. Convert those that should be numbers.
  properties = jsonencode({
    tier = each.value.tier
    rows = each.value.rows == "" ? null : tonumber(each.value.rows)
  })

  # A new number in the file rotates this customer's token.
  rotate_token_when_changed = {
    incident = each.value.incident
  }
}
