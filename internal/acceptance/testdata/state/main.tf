terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}

resource "embed_user_group" "everything" {
  user_group_id             = "every/thing Zoë"
  name                      = "Everything"
  mapping                   = { sales = "db-1", "with space" = "db 2" }
  properties                = jsonencode({ limits = { rows = 9007199254740993, ratio = 0.1 }, tags = ["a", null, true], html = "<é😀&>" })
  data_source_provided_id   = "db-1"
  rotate_token_when_changed = { quarter = "Q2", never = null }
  rotate_token_after_days   = 36500 # a hundred years, so that this state never plans a rotation
  adopt_existing            = true
  deletion_protection       = true
  store_token               = false
}

import {
  to = embed_user_group.imported
  id = "imported"
}

resource "embed_user_group" "imported" {
  user_group_id = "imported"
  name          = "Imported"
}
