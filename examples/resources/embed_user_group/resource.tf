resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # The data source of each schema.
  mapping = {
    sales = "acme_sales"
  }

  properties = jsonencode({
    tier   = "gold"
    limits = { rows = 250000 }
  })

  # Changing one of these values rotates the token.
  rotate_token_when_changed = {
    quarter  = "2026-Q4"
    incident = "0"
  }

  deletion_protection = true
}
