provider "embed" {
  # At most twenty calls per second in this run, regardless of -parallelism.
  requests_per_second = 20

  # All calls of one operation share six retries. The wait before a retry doubles from two seconds up to a minute.
  request_timeout = "20s"
  max_retries     = 6
  retry_wait_min  = "2s"
  retry_wait_max  = "1m"

  # Identifies this pipeline's calls in the service's logs.
  user_agent_suffix = "customers-pipeline"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
