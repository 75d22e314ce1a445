# Which of these ids exist? And what is their configuration?
#
#   terraform query
#   terraform query -generate-config-out=found.tf

terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}

provider "embed" {}
