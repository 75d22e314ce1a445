# The customers of one file, spread over several root modules or workspaces. All have this configuration, each its own state
# and its own number: terraform apply -var=shards=2 -var=shard=0

terraform {
  required_version = ">= 1.7"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1"
    }
  }
}

provider "embed" {}

variable "shards" {
  description = "How many shards there are. Doubling it splits each in two: n into n and n + the old number."
  type        = number
}

variable "shard" {
  description = "The number of this shard, from 0 on."
  type        = number
}

locals {
  everyone = yamldecode(file("${path.module}/customers.yaml"))

  # By a hash of the id, since nothing else about a customer stays for ever, and it spreads them evenly.
  shard_of = { for id in keys(local.everyone) : id => parseint(substr(sha256(id), 0, 8), 16) % var.shards }

  customers = { for id, customer in local.everyone : id => customer if local.shard_of[id] == var.shard }
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name
}
