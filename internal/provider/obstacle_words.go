package provider

import "github.com/dashembed/terraform-provider-embed/internal/api"

// obstacleWords has the advice for each obstacle. explanation.next replaces {method}.
var obstacleWords = map[api.Obstacle]string{
	api.ExpiredCertificate: "Renew the certificate, or correct this machine's clock.",
	api.UnknownAuthority: "Set ca_cert_file or ca_cert_pem, so that the provider trusts the authority that signed the " +
		"server's certificate.",
	api.OtherName: "In base_url (EMBED_BASE_URL), use a name that the certificate contains, or set tls_server_name to " +
		"such a name.",
	api.NoTLS: "Check the scheme and the port in base_url (EMBED_BASE_URL), and in the address of the proxy, " +
		"if there is one.",
	api.TLSWanted: "Use https:// in base_url (EMBED_BASE_URL) or, if it is the proxy that expects TLS, in the address " +
		"of the proxy.",
	api.HandshakeRefused: "The service must offer TLS 1.2 or later, and must accept the host in base_url " +
		"(or tls_server_name, if set) as its name.",
	api.ClientCertificateWanted: "The service asks for a client certificate: set client_cert_file and client_key_file, " +
		"or client_cert_pem and client_key_pem, or check those that are set.",
	api.ProxyPasswordWanted: "Set the user name and the password for the proxy in proxy_url (EMBED_PROXY_URL), or in " +
		"HTTPS_PROXY or HTTP_PROXY. Only basic authentication is supported.",
	api.ProxyForbids: "Allow CONNECT to this address in the proxy. To connect without the proxy, remove proxy_url " +
		"(EMBED_PROXY_URL) if it is set, or else add the host in base_url to NO_PROXY.",
	api.ProxyCannotConnect: "Check the host in base_url (EMBED_BASE_URL), and whether the proxy can resolve and reach it.",
	api.BodyDropped: "PUT or POST calls have worked, so something between Terraform and the service most likely " +
		"drops or refuses the body of {method} requests. Configure it to pass on the bodies of GET and DELETE requests.",
	api.BodyMayBeDropped: "This response does not come from the service. Something between Terraform and the service " +
		"may drop or refuse the body of {method} requests: configure it to pass on the bodies of GET and DELETE " +
		"requests.",
	api.FieldsMayBeDropped: "Fix what the service reports, then run again. If the service says that a field is " +
		"missing although the provider sent it, something between Terraform and the service drops the body of " +
		"{method} requests.",
	api.RefusedOnTheWay: "This response does not come from the service, so the API key may be correct. Check what is in " +
		"front of the service (a gateway, a firewall, a sign-in page), and whether it requires an additional header " +
		"(set headers or EMBED_HEADERS) or allows only certain networks.",
	api.WrongAddress: "Check base_url (EMBED_BASE_URL), especially its path: no call to this address has " +
		"succeeded yet.",
	api.ForeignResponse: "This response does not come from the service. Check base_url (EMBED_BASE_URL), and what is in " +
		"front of the service.",
	api.LimitReached: limitReached,
}

// kindWords has the advice for a failed call without an obstacle. For the other kinds, it depends on the operation.
var kindWords = map[api.Kind]string{
	api.Refused: "Fix what the service reports, then run again.",
	api.Unauthorized: "Check api_key (EMBED_API_KEY): the key may be wrong, may have expired, or may lack a " +
		"permission.",
	api.Throttled: limitReached,
	api.Cached:    turnOffCaching,
	api.Redirected: "If the service has another address, set base_url (EMBED_BASE_URL) to that address. Otherwise, " +
		"check what redirects calls to the service, such as a sign-in page in front of it.",
	api.NotSent: "Check base_url (EMBED_BASE_URL), the network, and the proxy settings, then run again.",
}

const (
	runAgain     = "Run again."
	limitReached = "The service, or something in front of it, is limiting the rate of calls or is overloaded. " +
		"Run again later."
	keyMayNotDoThis = "A lookup shows that the token is correct, so the API key (api_key, EMBED_API_KEY) may lack a " +
		"permission."
	turnOffCaching = "Turn off caching for the address of the service, then run again. " +
		"Do not delete the group by hand: it may belong to a live customer."
)
