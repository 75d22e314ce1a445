# The second of two root modules. Apply it after ../groups.

terraform {
  required_version = ">= 1.11" # write-only arguments

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
  }
}

provider "embed" {
  environment = "Customer"
}

provider "aws" {}

# Replace this with the backend of the first root module.
data "terraform_remote_state" "groups" {
  backend = "local"

  config = {
    path = "../groups/terraform.tfstate"
  }
}

locals {
  fingerprints = data.terraform_remote_state.groups.outputs.token_fingerprints
}

ephemeral "embed_user_group_token" "customer" {
  for_each = local.fingerprints

  user_group_id = each.key
}

resource "aws_secretsmanager_secret" "customer" {
  for_each = local.fingerprints

  # A name can have ASCII letters, digits and /_+=.@- only. If your IDs have others, make the name from something else.
  name                    = "dashboards/${each.key}"
  recovery_window_in_days = 0 # A new secret can have the same name.
}

resource "aws_secretsmanager_secret_version" "customer" {
  for_each = local.fingerprints

  secret_id        = aws_secretsmanager_secret.customer[each.key].id
  secret_string_wo = ephemeral.embed_user_group_token.customer[each.key].token

  # This number changes whenever the token does. It has up to 48 bits. For a provider that supports only 32, use a number
  # that you increase.
  secret_string_wo_version = parseint(each.value, 16)

  lifecycle {
    precondition {
      condition     = ephemeral.embed_user_group_token.customer[each.key].token_fingerprint == each.value
      error_message = "The service does not show the token of the state of the groups. Run both again in a minute."
    }
  }
}
