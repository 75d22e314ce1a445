# Against the service that EMBED_BASE_URL and EMBED_API_KEY name, best an emulator (make emulator). What it creates it removes.
# Values are written out: OpenTofu 1.8 has no functions in variables of a test. And what the run before had comes as a
# variable, since OpenTofu knows of other runs nowhere else, and of those further back only what was planned.

variables {
  deletion_protection = false
  token_triggers      = { period = "2026-Q4" }
  customers = {
    module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
    module-test-b = { name = "Module test B", token_triggers = { incident = "0" } }
  }
}

run "create" {
  assert {
    condition     = length(distinct(values(output.tokens))) == 2 && alltrue([for token in values(output.tokens) : token != null])
    error_message = "Each customer should have a token of its own."
  }

  assert {
    condition     = output.token_fingerprints["module-test-a"] == substr(sha256(output.tokens["module-test-a"]), 0, 12)
    error_message = "The fingerprint should be that of the token."
  }
}

run "rename" {
  variables {
    before = run.create.token_fingerprints
    teams  = run.create.team_ids

    customers = {
      module-test-a = { name = "Module test A, renamed", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"silver\"}" }
      module-test-b = { name = "Module test B", token_triggers = { incident = "0" } }
    }
  }

  assert {
    condition     = jsonencode(output.token_fingerprints) == jsonencode(var.before)
    error_message = "Another name should not rotate."
  }

  assert {
    condition     = jsonencode(output.team_ids) == jsonencode(var.teams)
    error_message = "The groups should still be the same ones."
  }
}

run "rotate_one" {
  variables {
    before = run.rename.token_fingerprints

    customers = {
      module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
      module-test-b = { name = "Module test B", token_triggers = { incident = "1" } }
    }
  }

  assert {
    condition     = output.token_fingerprints["module-test-a"] == var.before["module-test-a"]
    error_message = "The other customer should keep the token."
  }

  assert {
    condition     = output.token_fingerprints["module-test-b"] != var.before["module-test-b"]
    error_message = "The customer whose trigger changed should have another token."
  }
}

run "rotate_all" {
  variables {
    before = run.rotate_one.token_fingerprints

    token_triggers = { period = "2027-Q1" }
    customers = {
      module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
      module-test-b = { name = "Module test B", token_triggers = { incident = "1" } }
    }
  }

  assert {
    condition     = alltrue([for id, fingerprint in output.token_fingerprints : fingerprint != var.before[id]])
    error_message = "Every customer should have another token."
  }
}

run "tokens_out_of_the_state" {
  variables {
    before = run.rotate_all.token_fingerprints

    store_tokens   = false
    token_triggers = { period = "2027-Q1" }
    customers = {
      module-test-a = { name = "Module test A", mapping = { sales = "a_sales" }, properties = "{\"tier\":\"gold\"}" }
      module-test-b = { name = "Module test B", token_triggers = { incident = "1" } }
    }
  }

  assert {
    condition     = alltrue([for token in values(output.tokens) : token == null])
    error_message = "No token should be in the state."
  }

  assert {
    condition     = jsonencode(output.token_fingerprints) == jsonencode(var.before)
    error_message = "Taking the tokens out of the state should not rotate."
  }
}

run "drop_one" {
  variables {
    customers = {
      module-test-a = { name = "Module test A" }
    }
  }

  assert {
    condition     = keys(output.ids) == ["module-test-a"]
    error_message = "Only the customer that is left should be left."
  }
}
