resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"

  # Sent when the group is deleted, and only then.
  data_source_provided_id = "acme_sales"
}
