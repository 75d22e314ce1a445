# These tests need no service and no key. To run them: terraform test -filter=tests/mocked.tftest.hcl
# The properties are written without jsonencode, because OpenTofu 1.8 does not support functions in test variables.

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

run "own_incidents_do_not_replace_those_for_all" {
  command = plan

  variables {
    rotate_token_when_changed = { incident = "1" }
    customers = {
      acme    = { name = "Acme Ltd", rotate_token_when_changed = { incident = "7", quarter = "2026-Q4" } }
      initech = { name = "Initech Inc.", rotate_token_when_changed = { incident = null } }
    }
  }

  assert {
    condition     = jsonencode(embed_user_group.customer["acme"].rotate_token_when_changed) == "{\"all/incident\":\"1\",\"own/incident\":\"7\",\"own/quarter\":\"2026-Q4\"}"
    error_message = "One customer's own incident should not replace the incident for all customers."
  }

  assert {
    condition     = jsonencode(embed_user_group.customer["initech"].rotate_token_when_changed) == "{\"all/incident\":\"1\",\"own/incident\":\"0\"}"
    error_message = "A customer should always have a key for its own incident, and should not have another customer's incident."
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

run "ids_that_differ_only_in_case" {
  command = plan

  variables {
    customers = {
      acme = { name = "Acme Ltd" }
      Acme = { name = "Acme Inc." }
    }
  }

  expect_failures = [var.customers]
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
