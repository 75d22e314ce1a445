locals {
  # One ID per line, for example from a column of a spreadsheet.
  customers = <<-EOT
    acme
    initech
    umbrella
  EOT
}

list "embed_user_group" "customers" {
  provider = embed

  # Without a limit, Terraform stops at 100 results.
  limit = 100000

  config {
    user_group_ids = [for id in split("\n", trimspace(local.customers)) : trimspace(id)]
  }
}
