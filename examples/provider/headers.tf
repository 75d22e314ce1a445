variable "gateway_token" {
  description = "What the gateway in front of the service asks for."
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
