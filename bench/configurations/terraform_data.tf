terraform {
  backend "http" {}
}

# The seats of each customer.
variable "customers" {
  type = map(number)
}

variable "quarter" {
  type    = string
  default = "1"
}

resource "terraform_data" "customer" {
  for_each = var.customers

  input = {
    user_group_id = each.key
    name          = "Customer ${each.key}"
    mapping       = { main = "source-${each.key}" }
    properties    = jsonencode({ tier = "gold", seats = each.value, region = "eu" })
    quarter       = var.quarter
  }
}
