terraform {
  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = "~> 0.1"
    }
  }
}

# The address and the key come from EMBED_BASE_URL and EMBED_API_KEY.
provider "embed" {}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
