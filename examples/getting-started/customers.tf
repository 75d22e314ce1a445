locals {
  rows = csvdecode(trimprefix(file("${path.module}/customers.csv"), "\ufeff"))

  # The columns with data sources. Their names are schema IDs.
  schemas = ["sales"]

  customers = {
    for row in local.rows : row.id => {
      name       = row.name
      mapping    = { for schema in local.schemas : schema => row[schema] if row[schema] != "" }
      properties = jsonencode({ tier = row.tier })

      # Optional column: a new number rotates the token.
      rotate_token_when_changed = { incident = try(coalesce(row.incident, "0"), "0") }

      # Optional column: "yes" turns off the deletion protection.
      deletion_protection = try(contains(["yes", "true"], tostring(row.leaving)) ? false : null, null)
    }
  }
}
