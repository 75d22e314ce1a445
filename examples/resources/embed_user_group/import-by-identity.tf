import {
  to = embed_user_group.acme
  identity = {
    user_group_id = "acme"
  }
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
