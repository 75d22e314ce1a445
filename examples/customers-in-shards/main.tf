# Spreads the customers in one file over several shards. All shards use this configuration, but each has its own state
# and its own number. To apply the first of two shards:
#
#   terraform apply -var=shards=2 -var=shard=0

terraform {
  required_version = ">= 1.7"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {
  environment   = "Customer"
  max_deletions = var.max_deletions
}

variable "max_deletions" {
  description = "How many customers one run may delete."
  type        = number
  default     = 1
}

variable "shards" {
  description = "Number of shards. Doubling this number splits each shard in two: shard n becomes shard n and shard (n + the old number)."
  type        = number
}

variable "shard" {
  description = "Number of this shard, starting with 0."
  type        = number
}

variable "protected" {
  description = "Whether to refuse to delete customers. Before you run terraform destroy, set this to false and apply."
  type        = bool
  default     = true
}

locals {
  everyone = yamldecode(file("${path.module}/customers.yaml"))

  # A hash of the ID never changes, and spreads customers roughly evenly.
  shard_of = { for id in keys(local.everyone) : id => parseint(substr(sha256(id), 0, 8), 16) % var.shards }

  customers = { for id, customer in local.everyone : id => customer if local.shard_of[id] == var.shard }
}

resource "embed_user_group" "customer" {
  for_each = local.customers

  user_group_id = each.key
  name          = each.value.name

  # If a customer ends up in another shard by mistake, the plan of the old shard fails.
  deletion_protection = var.protected
}
