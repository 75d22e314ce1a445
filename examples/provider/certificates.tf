# The private key comes from EMBED_CLIENT_KEY_PEM, because file() would write it into saved plan files.
provider "embed" {
  ca_cert_pem     = file("ca.pem")
  client_cert_pem = file("client.pem")
}
