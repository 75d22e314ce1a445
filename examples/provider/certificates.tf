# The private key comes from EMBED_CLIENT_KEY_PEM.
provider "embed" {
  ca_cert_pem     = file("ca.pem")
  client_cert_pem = file("client.pem")
}
