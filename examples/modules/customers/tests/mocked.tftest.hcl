# Needs no service and no key: terraform test -filter=tests/mocked.tftest.hcl
# Values are written out: OpenTofu 1.8 has no functions in variables of a test.

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
    error_message = "What the map says of a customer should be in its group."
  }

  assert {
    condition     = embed_user_group.customer["initech"].mapping == null && embed_user_group.customer["initech"].properties == null
    error_message = "What the map leaves out should not be managed."
  }

  assert {
    condition     = embed_user_group.customer["acme"].data_source_provided_id == "acme_sales" && embed_user_group.customer["initech"].data_source_provided_id == null
    error_message = "The ID of the data source should be that of its customer."
  }

  assert {
    condition     = embed_user_group.customer["acme"].adopt_existing && embed_user_group.customer["initech"].adopt_existing == null
    error_message = "Only what the map says so of should be adopted."
  }

  assert {
    condition     = output.tokens["acme"] == "a-made-up-token" && output.token_fingerprints["initech"] == "0123456789ab"
    error_message = "The outputs should be by ID."
  }
}

run "protected_unless_told_otherwise" {
  command = plan

  variables {
    customers = {
      acme    = { name = "Acme Ltd" }
      initech = { name = "Initech Inc.", deletion_protection = false }
    }
  }

  assert {
    condition     = embed_user_group.customer["acme"].deletion_protection && !embed_user_group.customer["initech"].deletion_protection
    error_message = "The customer's own deletion_protection should win, and the module's is true."
  }
}

run "triggers_of_all_and_of_one" {
  command = plan

  variables {
    token_triggers = { period = "2026-Q4" }
    customers = {
      acme    = { name = "Acme Ltd", token_triggers = { period = "7" } }
      initech = { name = "Initech Inc." }
    }
  }

  assert {
    condition     = join(",", [for name, value in embed_user_group.customer["acme"].rotate_token_when_changed : "${name}=${value}"]) == "all/period=2026-Q4,own/period=7"
    error_message = "A trigger of one customer should not hide one of all."
  }

  assert {
    condition     = keys(embed_user_group.customer["initech"].rotate_token_when_changed) == tolist(["all/period"])
    error_message = "A customer should not get the triggers of another."
  }
}

run "days_of_all_and_of_one" {
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
    error_message = "The customer's own number of days should win."
  }
}

run "no_customers_at_all" {
  command = plan

  variables {
    customers = {}
  }

  assert {
    condition     = length(embed_user_group.customer) == 0
    error_message = "An empty map should be no groups."
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

run "properties_that_are_no_object" {
  command = plan

  variables {
    customers = { acme = { name = "Acme Ltd", properties = "[\"gold\"]" } }
  }

  expect_failures = [var.customers]
}

run "properties_that_are_no_json" {
  command = plan

  variables {
    customers = { acme = { name = "Acme Ltd", properties = "tier = gold" } }
  }

  expect_failures = [var.customers]
}

run "a_mapping_to_null" {
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
