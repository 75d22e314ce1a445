# These tests need the emulator of the service. To start the emulator, run make emulator in the provider's repository.
# The properties are written without jsonencode, because OpenTofu 1.8 does not support functions in test variables. Runs
# refer to earlier runs only in variables, because OpenTofu does not allow such references in assertions.

# The address and the key are those of the emulator. They take precedence over EMBED_BASE_URL and EMBED_API_KEY, so the
# tests never touch a real service. With newer versions of Terraform, max_deletions counts all runs of a file together,
# with the cleanup at its end.
provider "embed" {
  base_url      = "http://127.0.0.1:8642"
  api_key       = "emulator-key-0001"
  environment   = "Customer"
  max_deletions = 2
}

variables {
  deletion_protection = false
  customers = {
    module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
    module-test-b = { name = "Module test B" }
  }
}

run "create" {
  assert {
    condition     = length(distinct(values(output.tokens))) == 2 && alltrue([for token in values(output.tokens) : token != null])
    error_message = "Each customer should have its own token."
  }

  assert {
    condition     = output.token_fingerprints["module-test-a"] == substr(sha256(output.tokens["module-test-a"]), 0, 12)
    error_message = "The fingerprint should match the token."
  }
}

run "rename" {
  variables {
    before = run.create.token_fingerprints
    teams  = run.create.team_ids

    customers = {
      module-test-a = { name = "Module test A, renamed", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"silver\"}" }
      module-test-b = { name = "Module test B" }
    }
  }

  assert {
    condition     = jsonencode(output.token_fingerprints) == jsonencode(var.before)
    error_message = "Changing the name and the properties should not rotate the token."
  }

  assert {
    condition     = jsonencode(output.team_ids) == jsonencode(var.teams)
    error_message = "The groups should not be replaced."
  }
}

run "rotate_one" {
  variables {
    before = run.rename.token_fingerprints

    customers = {
      module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
      module-test-b = { name = "Module test B", rotate_token_when_changed = { incident = "1" } }
    }
  }

  assert {
    condition     = output.token_fingerprints["module-test-a"] == var.before["module-test-a"]
    error_message = "The other customer should keep its token."
  }

  assert {
    condition     = output.token_fingerprints["module-test-b"] != var.before["module-test-b"]
    error_message = "The customer with an incident should have a new token."
  }
}

run "rotate_all" {
  variables {
    before = run.rotate_one.token_fingerprints

    rotate_token_when_changed = { incident = "1" }
    customers = {
      module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
      module-test-b = { name = "Module test B", rotate_token_when_changed = { incident = "1" } }
    }
  }

  assert {
    condition     = alltrue([for id, fingerprint in output.token_fingerprints : fingerprint != var.before[id]])
    error_message = "Every customer should have a new token."
  }
}

run "remove_tokens_from_the_state" {
  variables {
    before = run.rotate_all.token_fingerprints

    store_tokens              = false
    rotate_token_when_changed = { incident = "1" }
    customers = {
      module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
      module-test-b = { name = "Module test B", rotate_token_when_changed = { incident = "1" } }
    }
  }

  assert {
    condition     = alltrue([for token in values(output.tokens) : token == null])
    error_message = "The outputs should not contain any token."
  }

  assert {
    condition     = jsonencode(output.token_fingerprints) == jsonencode(var.before)
    error_message = "Removing the tokens from the state should not rotate them."
  }
}

run "remove_one" {
  variables {
    customers = {
      module-test-a = { name = "Module test A" }
    }
  }

  assert {
    condition     = keys(output.ids) == ["module-test-a"]
    error_message = "Only the remaining customer should be in the outputs."
  }
}
