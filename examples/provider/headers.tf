variable "gateway_token" {
  description = "The token that the gateway in front of the service requires."
  type        = string
  sensitive   = true
  default     = "not-a-real-one"
}

provider "embed" {
  headers = {
    X-Gateway-Token = var.gateway_token
  }
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
