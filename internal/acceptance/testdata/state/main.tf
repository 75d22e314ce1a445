terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}

variable "quarter" {
  type = string
}

resource "embed_user_group" "minimal" {
  user_group_id = "minimal"
  name          = "Minimal"
}

resource "embed_user_group" "everything" {
  user_group_id             = "every/thing Zoë"
  name                      = "Everything"
  mapping                   = { sales = "db-1", "with space" = "db 2" }
  properties                = jsonencode({ tier = "gold", limits = { rows = 9007199254740993, ratio = 0.1 }, tags = ["a", null, true], html = "<é😀&>" })
  data_source_provided_id   = "db-1"
  rotate_token_when_changed = { quarter = "Q1", never = null }
  rotate_token_after_days   = 36500 # a hundred years, so that this state never plans a rotation
  adopt_existing            = true
  deletion_protection       = true
  store_token               = true
}

resource "embed_user_group" "without_token" {
  user_group_id = "without-token"
  name          = "Without token"
  properties    = jsonencode({})
  mapping       = {}
  store_token   = false
}

resource "embed_user_group" "rotated" {
  user_group_id             = "rotated"
  name                      = "Rotated"
  rotate_token_when_changed = { quarter = var.quarter }
}

import {
  to = embed_user_group.imported
  id = "imported"
}

resource "embed_user_group" "imported" {
  user_group_id = "imported"
  name          = "Imported"
  properties    = jsonencode({ a = 1 })
}
