list "embed_user_group" "known" {
  provider = embed

  # Without a limit, Terraform stops at 100 results.
  limit = 100000

  config {
    user_group_ids = ["acme", "initech", "umbrella"]
  }
}
