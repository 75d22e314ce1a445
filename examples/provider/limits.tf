terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}

provider "embed" {
  # At most twenty calls a second in this run, whatever -parallelism is.
  requests_per_second = 20

  # A call that is throttled or gets no answer is repeated up to six times, with waits of 2, 4, 8, 16, 32 and 60 seconds.
  request_timeout = "20s"
  max_retries     = 6
  retry_wait_min  = "2s"
  retry_wait_max  = "1m"

  # Tells this pipeline's calls apart in the service's log.
  user_agent_suffix = "customers-pipeline"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
