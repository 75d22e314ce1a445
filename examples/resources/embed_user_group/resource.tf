terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
