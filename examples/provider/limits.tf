provider "embed" {
  requests_per_second = 20

  # All calls of one operation share six retries.
  request_timeout = "20s"
  max_retries     = 6
  retry_wait_max  = "1m"
}
