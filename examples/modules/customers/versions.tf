terraform {
  required_version = ">= 1.5"

  required_providers {
    embed = {
      source  = "dashembed/embed"
      version = ">= 0.1.0, < 0.2.0"
    }
  }
}
