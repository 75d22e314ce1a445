terraform {
  required_version = ">= 1.10" # ephemeral resources

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1.0"
    }
    vault = {
      source  = "hashicorp/vault"
      version = "~> 5.0"
    }
  }
}

# The address and the token come from VAULT_ADDR and VAULT_TOKEN.
provider "vault" {}

# Terraform reads the key again in every plan and every apply. The key must remain valid until the run ends.
ephemeral "vault_kv_secret_v2" "embed" {
  mount = "secret"
  name  = "dashboards"
}

provider "embed" {
  environment = "Customer"
  api_key     = ephemeral.vault_kv_secret_v2.embed.data.api_key
}

resource "embed_user_group" "acme" {
  user_group_id       = "acme"
  name                = "Acme Ltd"
  deletion_protection = true
}
