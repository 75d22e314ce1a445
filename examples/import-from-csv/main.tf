# Imports the groups in groups.csv. If one of them does not exist, the plan fails. If only some of your groups exist, see
# ../getting-started.

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
  groups = { for row in csvdecode(file("${path.module}/groups.csv")) : row.id => row }
}

import {
  for_each = local.groups

  to = embed_user_group.customer[each.key]
  id = each.key
}

resource "embed_user_group" "customer" {
  for_each = local.groups

  user_group_id       = each.key
  name                = each.value.name
  deletion_protection = true
}
