resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # For each schema ID, the group's data source at the dashboard service.
  mapping = {
    sales   = "acme_sales"
    billing = "acme_billing"
  }

  # Any JSON object. The provider does not round numbers.
  properties = jsonencode({
    tier    = "gold"
    limits  = { rows = 250000 }
    regions = ["north", "south"]
  })
}
