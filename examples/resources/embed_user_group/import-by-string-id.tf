import {
  to = embed_user_group.acme
  id = "acme"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
