list "embed_user_group" "known" {
  provider = embed

  config {
    user_group_ids = ["acme", "initech", "umbrella"]
  }
}
