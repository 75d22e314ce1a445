# Which of the groups in ids.csv exist, and what is their configuration?
#
#   terraform query
#   terraform query -generate-config-out=found.tf

terraform {
  required_version = ">= 1.14"

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
