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
