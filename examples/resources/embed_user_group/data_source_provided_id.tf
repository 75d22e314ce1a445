resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # Only sent when the group is deleted.
  data_source_provided_id = "acme_sales"
}
