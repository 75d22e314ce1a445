terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}

provider "embed" {
  # Stops the run where the key turns out to be one of the other environment.
  environment = "Customer"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
