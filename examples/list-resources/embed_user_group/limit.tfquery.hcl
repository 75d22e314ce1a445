locals {
  # One id a line, as a spreadsheet exports a column.
  customers = <<-EOT
    acme
    initech
    umbrella
  EOT
}

list "embed_user_group" "customers" {
  provider = embed

  # The engine stops at 100 results unless it is told otherwise.
  limit = 100000

  config {
    user_group_ids = [for id in split("\n", trimspace(local.customers)) : trimspace(id)]
  }
}
