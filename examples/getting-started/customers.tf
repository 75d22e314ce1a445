locals {
  rows = csvdecode(file("${path.module}/customers.csv"))

  # The columns that have data sources. The name of each is a schema ID.
  schemas = ["sales"]

  customers = {
    for row in local.rows : row.id => {
      name       = row.name
      mapping    = { for schema in local.schemas : schema => row[schema] if row[schema] != "" }
      properties = jsonencode({ tier = row.tier })

      # In the optional column "incident", a new number rotates the customer's token.
      rotate_token_when_changed = { incident = try(coalesce(row.incident, "0"), "0") }

      # "yes" in the optional column "leaving" turns off the customer's deletion protection.
      deletion_protection = try(contains(["yes", "true"], tostring(row.leaving)) ? false : null, null)
    }
  }
}
