terraform {
  required_providers {
    embed = { source = "dashembed/embed" }
  }
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

# The environment variables EMBED_BASE_URL and EMBED_API_KEY contain the address and the key of the service.
provider "embed" {}

resource "embed_user_group" "customer" {
  for_each = var.customers

  user_group_id             = each.key
  name                      = "Customer ${each.key}"
  mapping                   = { main = "source-${each.key}" }
  properties                = jsonencode({ tier = "gold", seats = each.value, region = "eu" })
  rotate_token_when_changed = { quarter = var.quarter }
}
