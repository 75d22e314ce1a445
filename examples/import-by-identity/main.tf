# Imports groups by identity instead of by ID.

terraform {
  required_version = ">= 1.12" # import by identity

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
  groups = {
    acme    = "Acme Ltd"
    initech = "Initech Inc."
  }
}

import {
  for_each = local.groups

  to = embed_user_group.customer[each.key]
  identity = {
    user_group_id = each.key
  }
}

resource "embed_user_group" "customer" {
  for_each = local.groups

  user_group_id       = each.key
  name                = each.value
  deletion_protection = true
}
