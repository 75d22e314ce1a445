terraform {
  backend "http" {}
}

variable "customers" {
  type = map(object({ name = string, source = string, tier = string, seats = number, region = string }))
}

variable "quarter" {
  type    = string
  default = "1"
}

resource "terraform_data" "customer" {
  for_each = var.customers

  input = {
    user_group_id = each.key
    name          = each.value.name
    mapping       = { main = each.value.source }
    properties    = jsonencode({ tier = each.value.tier, seats = each.value.seats, region = each.value.region })
    quarter       = var.quarter
  }
}
