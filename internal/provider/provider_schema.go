package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// providerModel is the configuration of the provider block.
type providerModel struct {
	BaseURL           types.String  `tfsdk:"base_url"`
	APIKey            types.String  `tfsdk:"api_key"`
	APIKeyFile        types.String  `tfsdk:"api_key_file"`
	AllowHTTP         types.Bool    `tfsdk:"allow_http"`
	RequestTimeout    types.String  `tfsdk:"request_timeout"`
	MaxRetries        types.Number  `tfsdk:"max_retries"`
	RetryWaitMin      types.String  `tfsdk:"retry_wait_min"`
	RetryWaitMax      types.String  `tfsdk:"retry_wait_max"`
	RequestsPerSecond types.Float64 `tfsdk:"requests_per_second"`
	Headers           types.Map     `tfsdk:"headers"`
	ProxyURL          types.String  `tfsdk:"proxy_url"`
	CACertFile        types.String  `tfsdk:"ca_cert_file"`
	CACertPEM         types.String  `tfsdk:"ca_cert_pem"`
	TLSServerName     types.String  `tfsdk:"tls_server_name"`
	ClientCertFile    types.String  `tfsdk:"client_cert_file"`
	ClientCertPEM     types.String  `tfsdk:"client_cert_pem"`
	ClientKeyFile     types.String  `tfsdk:"client_key_file"`
	ClientKeyPEM      types.String  `tfsdk:"client_key_pem"`
	UserAgentSuffix   types.String  `tfsdk:"user_agent_suffix"`
	Environment       types.String  `tfsdk:"environment"`
	MaxDeletions      types.Number  `tfsdk:"max_deletions"`
}

func (p *embedProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the customers of a product that embeds dashboards. Each customer is a *user group* " +
			"at the dashboard service, and the group's token tells an embedded dashboard which customer is viewing " +
			"it.\n\nEvery argument has an environment variable. An argument in the provider block overrides its variable. " +
			"Configuring the provider makes no call.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service, such as `https://dashboards.example.com`. Required, in the " +
					"provider block or as an environment variable. It must be an absolute `https` address without user name, " +
					"query or fragment. If the address has a path, the path of each call is appended to it. `http` is accepted " +
					"for loopback addresses, and for other addresses only with `allow_http`. Redirects are never followed. " +
					"Environment variable: `EMBED_BASE_URL`.",
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key for the service. Even for a plan with refresh, the key should be allowed to " +
					"create and delete groups, since a lookup of a missing group does both. With `environment`, the key " +
					"must also be allowed to update groups. Exactly one of `api_key` and `api_key_file` is required. If the " +
					"provider block sets either argument, even to an empty string, neither `EMBED_API_KEY` nor " +
					"`EMBED_API_KEY_FILE` is read. Surrounding white space is removed. Saved plan files contain a key that " +
					"comes from the configuration or from a Terraform variable, unless it is an ephemeral value. They do " +
					"not contain a key that comes from the environment variable or from `api_key_file`. Environment " +
					"variable: `EMBED_API_KEY`.",
			},
			"api_key_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of a file that contains only the API key. Surrounding white space is removed. " +
					"Environment variable: `EMBED_API_KEY_FILE`.",
			},
			"allow_http": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept an `http` address that is not a loopback address. Anyone on the " +
					"network path can then read the key and every token. Default: `false`. Environment variable: " +
					"`EMBED_ALLOW_HTTP`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Time limit for a single attempt at a call, as a duration such as `\"45s\"` or " +
					"`\"2m\"`. A run that is stopped (Ctrl-C, a canceled job) finishes the calls in flight, checks the " +
					"outcome of a rotation whose response was lost, and removes groups that lookups have just created. If " +
					"the service does not respond, this takes up to twice the limit, plus one second. Default: `\"30s\"`. " +
					"Environment variable: `EMBED_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.NumberAttribute{
				Optional:   true,
				Validators: []validator.Number{retriesAllowed},
				MarkdownDescription: "Maximum number of retries for one operation on a group, shared by all calls of the " +
					"operation. A call that could not be sent, or that got no usable response, is retried if a retry may " +
					"help and does no harm. As long as other calls of the run get through, a call that is refused with " +
					"status 429 or 503 (too many calls) is repeated without using up retries, within a time limit of " +
					"four times `retry_wait_max`. With the defaults, an operation that gets no response gives up in less than 3 " +
					"minutes. If an operation gives up, and no call of the run has gotten through in the meantime, the run " +
					"may end for all groups. `0` turns retries off. Between 0 and 100. Default: `4`. Environment variable: " +
					"`EMBED_MAX_RETRIES`.",
			},
			"retry_wait_min": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Wait before the first retry, as a duration. The wait doubles with each further " +
					"retry, up to `retry_wait_max`. The provider shortens each of these waits at random, by up to half, so " +
					"that not all calls are retried at once. Default: `\"1s\"`. Environment variable: " +
					"`EMBED_RETRY_WAIT_MIN`.",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Longest wait between two attempts, as a duration. It also limits a wait that the service " +
					"requests with `Retry-After`. Apart from this limit, the provider does not shorten such a wait. Default: " +
					"`\"30s\"`, or `retry_wait_min` if that is longer. Environment variable: `EMBED_RETRY_WAIT_MAX`.",
			},
			"requests_per_second": schema.Float64Attribute{
				Optional:   true,
				Validators: []validator.Float64{float64validator.AtLeast(0.01)},
				MarkdownDescription: "Maximum number of calls per second for one provider block in one run, regardless of " +
					"`-parallelism`. The calls are evenly spaced. With or without this limit, a run adapts to the rate that " +
					"the service allows: it slows down when calls are refused with status 429 or 503, and speeds up again " +
					"as calls get through. At least 0.01. Default: no limit. Environment variable: " +
					"`EMBED_REQUESTS_PER_SECOND`.",
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Additional headers for every request, for example for a gateway in front of the service. " +
					"The values are treated as secrets. These headers are reserved: `Accept`, `Accept-Encoding`, `Authorization`, " +
					"`Cache-Control`, `Connection`, `Content-Length`, `Content-Type`, `Expect`, `Host`, `Te`, `Trailer`, " +
					"`Transfer-Encoding`, `Upgrade`, `User-Agent`. Environment variable: `EMBED_HEADERS`, as a JSON object.",
			},
			"proxy_url": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Address of a proxy, such as `http://proxy.example.com:3128`, `https://…` or " +
					"`socks5://…`. It may contain a user name and a password (`http://user:password@…`), with special " +
					"characters percent-encoded. The provider shows neither. If `proxy_url` is not set, `HTTPS_PROXY` applies " +
					"(`HTTP_PROXY` for an `http` address), unless `NO_PROXY` exempts the host. If the proxy inspects TLS " +
					"with a certificate authority that the system does not trust, also set `ca_cert_file` or " +
					"`ca_cert_pem`. Environment variable: `EMBED_PROXY_URL`.",
			},
			"ca_cert_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of a file with the PEM certificates of the certificate authorities to " +
					"trust instead of the system's. Verification cannot be turned off. Conflicts with " +
					"`ca_cert_pem`. Environment variable: `EMBED_CA_CERT_FILE`.",
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM certificates of the certificate authorities to trust. Conflicts with " +
					"`ca_cert_file`. Environment variable: `EMBED_CA_CERT_PEM`.",
			},
			"tls_server_name": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name that the certificate of the service must have, if it is not the host in `base_url`: " +
					"for example behind a tunnel, or with an IP address. This name is also sent as SNI. The `Host` header does " +
					"not change. Default: the host in `base_url`. Environment variable: `EMBED_TLS_SERVER_NAME`.",
			},
			"client_cert_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of a file with the PEM client certificate, for a service or a gateway " +
					"that asks for one (mutual TLS). Intermediate certificates come after it in the same file. " +
					"Requires `client_key_file` or `client_key_pem`. Conflicts with `client_cert_pem`. Environment " +
					"variable: `EMBED_CLIENT_CERT_FILE`.",
			},
			"client_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM client certificate. Conflicts with `client_cert_file`. " +
					"Environment variable: `EMBED_CLIENT_CERT_PEM`.",
			},
			"client_key_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of a file with the PEM private key of the client certificate, without a " +
					"passphrase. The key may be in the same file as the certificate. Conflicts with `client_key_pem`. " +
					"Environment variable: `EMBED_CLIENT_KEY_FILE`.",
			},
			"client_key_pem": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "PEM private key of the client certificate. Conflicts with `client_key_file`. Saved " +
					"plan files contain a private key that comes from the configuration or from a Terraform variable, " +
					"unless it is an ephemeral value. They do not contain a private key that comes from the environment " +
					"variable or from `client_key_file`. Environment variable: `EMBED_CLIENT_KEY_PEM`.",
			},
			"user_agent_suffix": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Appended to the `User-Agent` header, so that the logs of the service show which pipeline " +
					"made a call. The header begins with the versions of the provider and of Terraform or OpenTofu, for example " +
					"`terraform-provider-embed/1.2.3 (CLI 1.16.4)`. The value of `TF_APPEND_USER_AGENT` is appended as well. " +
					"Environment variable: `EMBED_USER_AGENT_SUFFIX`.",
			},
			"environment": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Environment that the API key must belong to, `Customer` or `Testing`. The key is checked " +
					"before the first change, before a group is treated as missing or replaced, and before an import, a data " +
					"source, an ephemeral resource, a query or an action looks up a group. Once the check has passed, the same " +
					"provider process does not repeat it. The check creates a group with a random ID, looks it up, updates it, " +
					"and deletes it. With a wrong key, the run ends before any of your groups is changed. If the state shows that " +
					"a group is in the other environment, the provider does not update or delete that group, and does not rotate " +
					"its token. Default: any. Environment variable: `EMBED_ENVIRONMENT`.",
			},
			"max_deletions": schema.NumberAttribute{
				Optional:   true,
				Validators: []validator.Number{deletionsAllowed},
				MarkdownDescription: "Maximum number of groups that one run may delete, including groups that it " +
					"replaces. A plan that deletes more groups fails, and nothing is changed. With `0`, no group may be " +
					"deleted. Deletions by `terraform destroy` count as well. `removed` blocks that do not destroy, and " +
					"`terraform state rm`, do not count. With `-replace`, with tainted resources, and on Terraform before " +
					"1.3, the apply fails instead, before the first deletion over the limit. Each provider block has its " +
					"own limit. Between 0 and 1000000. Default: no limit. Environment variable: `EMBED_MAX_DELETIONS`.",
			},
		},
	}
}
