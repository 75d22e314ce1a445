variable "certificates" {
  description = "Directory with the CA certificate, the client certificate, and the client's key."
  type        = string
}

provider "embed" {
  ca_cert_file     = "${var.certificates}/ca.pem"
  client_cert_file = "${var.certificates}/client.pem"
  client_key_file  = "${var.certificates}/client-key.pem"
}

resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
