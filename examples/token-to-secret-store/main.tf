# Writes the token to a secret store whenever the token changes. Neither the state nor plan files contain the token.

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

variable "quarter" {
  description = "A new quarter rotates the token and writes the secret again in the same apply."
  type        = string
  default     = "2026-Q4"
}

resource "embed_user_group" "acme" {
  user_group_id       = "acme"
  name                = "Acme Ltd"
  deletion_protection = true
  store_token         = false

  rotate_token_when_changed = {
    quarter = var.quarter
  }
}

# The id is known once the group exists. With the string "acme", the lookup would not wait for a creation or a change.
ephemeral "embed_user_group_token" "acme" {
  user_group_id = embed_user_group.acme.id
}

resource "aws_secretsmanager_secret" "acme" {
  name                    = "dashboards/acme"
  recovery_window_in_days = 0 # A new secret can have the same name.
}

resource "aws_secretsmanager_secret_version" "acme" {
  secret_id        = aws_secretsmanager_secret.acme.id
  secret_string_wo = ephemeral.embed_user_group_token.acme.token

  # This number changes whenever the token does. It has up to 48 bits. For a provider that supports only 32, use a number
  # that you increase.
  secret_string_wo_version = parseint(embed_user_group.acme.token_fingerprint, 16)

  lifecycle {
    precondition {
      condition     = ephemeral.embed_user_group_token.acme.token_fingerprint == embed_user_group.acme.token_fingerprint
      error_message = "The service does not show the current token yet. Run again in a minute."
    }
  }
}
