# Needs no service and no key: terraform test -filter=tests/mocked.tftest.hcl
# Values are literals, because OpenTofu 1.8 does not support functions in the variables of a test.

mock_provider "embed" {
  mock_resource "embed_user_group" {
    defaults = {
      token             = "a-made-up-token"
      token_fingerprint = "0123456789ab"
      team_id           = 1001
    }
  }
}

run "one_group_per_customer" {
  variables {
    customers = {
      acme = {
        name                    = "Acme Ltd"
        mapping                 = { sales = "acme_sales" }
        properties              = "{\"tier\":\"gold\"}"
        data_source_provided_id = "acme_sales"
        adopt_existing          = true
      }
      initech = { name = "Initech Inc." }
    }
  }

  assert {
    condition     = length(embed_user_group.customer) == 2
    error_message = "There should be a group for each customer."
  }

  assert {
    condition     = embed_user_group.customer["acme"].user_group_id == "acme" && embed_user_group.customer["acme"].mapping["sales"] == "acme_sales"
    error_message = "Each group should have the values of its customer."
  }

  assert {
    condition     = embed_user_group.customer["initech"].mapping == null && embed_user_group.customer["initech"].properties == null
    error_message = "Omitted attributes should not be managed."
  }

  assert {
    condition     = embed_user_group.customer["acme"].data_source_provided_id == "acme_sales" && embed_user_group.customer["initech"].data_source_provided_id == null
    error_message = "Each group should have the data source ID of its customer."
  }

  assert {
    condition     = embed_user_group.customer["acme"].adopt_existing && embed_user_group.customer["initech"].adopt_existing == null
    error_message = "Only customers with adopt_existing should be adopted."
  }

  assert {
    condition     = output.tokens["acme"] == "a-made-up-token" && output.token_fingerprints["initech"] == "0123456789ab"
    error_message = "The keys of the outputs should be the IDs."
  }
}

run "protected_by_default" {
  command = plan

  variables {
    customers = {
      acme    = { name = "Acme Ltd" }
      initech = { name = "Initech Inc.", deletion_protection = false }
    }
  }

  assert {
    condition     = embed_user_group.customer["acme"].deletion_protection && !embed_user_group.customer["initech"].deletion_protection
    error_message = "Customers should be protected unless their own deletion_protection is false."
  }
}

run "own_triggers_do_not_replace_those_for_all" {
  command = plan

  variables {
    token_triggers = { quarter = "2026-Q4" }
    customers = {
      acme    = { name = "Acme Ltd", token_triggers = { quarter = "7" } }
      initech = { name = "Initech Inc." }
    }
  }

  assert {
    condition     = join(",", [for name, value in embed_user_group.customer["acme"].rotate_token_when_changed : "${name}=${value}"]) == "all/quarter=2026-Q4,own/quarter=7"
    error_message = "A trigger for one customer should not replace a trigger for all with the same name."
  }

  assert {
    condition     = keys(embed_user_group.customer["initech"].rotate_token_when_changed) == tolist(["all/quarter"])
    error_message = "A customer should not have the triggers of another customer."
  }
}

run "own_number_of_days_takes_precedence" {
  command = plan

  variables {
    rotate_token_after_days = 90
    customers = {
      acme    = { name = "Acme Ltd", rotate_token_after_days = 30 }
      initech = { name = "Initech Inc." }
    }
  }

  assert {
    condition     = embed_user_group.customer["acme"].rotate_token_after_days == 30 && embed_user_group.customer["initech"].rotate_token_after_days == 90
    error_message = "A customer's own number of days should take precedence."
  }
}

run "no_customers" {
  command = plan

  variables {
    customers = {}
  }

  assert {
    condition     = length(embed_user_group.customer) == 0
    error_message = "An empty map should not create any groups."
  }
}

run "an_id_with_a_space_at_the_end" {
  command = plan

  variables {
    customers = { "acme " = { name = "Acme Ltd" } }
  }

  expect_failures = [var.customers]
}

run "an_id_with_a_line_break" {
  command = plan

  variables {
    customers = { "ac\nme" = { name = "Acme Ltd" } }
  }

  expect_failures = [var.customers]
}

run "a_blank_name" {
  command = plan

  variables {
    customers = { acme = { name = " " } }
  }

  expect_failures = [var.customers]
}

run "properties_that_are_not_an_object" {
  command = plan

  variables {
    customers = { acme = { name = "Acme Ltd", properties = "[\"gold\"]" } }
  }

  expect_failures = [var.customers]
}

run "properties_that_are_not_json" {
  command = plan

  variables {
    customers = { acme = { name = "Acme Ltd", properties = "tier = gold" } }
  }

  expect_failures = [var.customers]
}

run "a_mapping_with_null" {
  command = plan

  variables {
    customers = { acme = { name = "Acme Ltd", mapping = { sales = null } } }
  }

  expect_failures = [var.customers]
}

run "an_empty_data_source_id" {
  command = plan

  variables {
    customers = { acme = { name = "Acme Ltd", data_source_provided_id = "" } }
  }

  expect_failures = [var.customers]
}
