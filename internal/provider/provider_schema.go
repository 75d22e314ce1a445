package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// providerModel is the provider block as configured.
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
	CACertFile        types.String  `tfsdk:"ca_cert_file"`
	CACertPEM         types.String  `tfsdk:"ca_cert_pem"`
	ClientCertFile    types.String  `tfsdk:"client_cert_file"`
	ClientCertPEM     types.String  `tfsdk:"client_cert_pem"`
	ClientKeyFile     types.String  `tfsdk:"client_key_file"`
	ClientKeyPEM      types.String  `tfsdk:"client_key_pem"`
	TLSServerName     types.String  `tfsdk:"tls_server_name"`
	ProxyURL          types.String  `tfsdk:"proxy_url"`
	UserAgentSuffix   types.String  `tfsdk:"user_agent_suffix"`
	Environment       types.String  `tfsdk:"environment"`
}

func (p *embedProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the customers of a product that embeds dashboards: each customer is a *user group* at the dashboard service, and the group's token tells an embedded dashboard who is looking.\n\n" +
			"Every argument can be given by an environment variable instead; an argument in the configuration wins. Configuring the provider makes no call.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Required, here or in the environment. Address of the service, such as `https://dashboards.example.com`. It must be an absolute `https` address without user name, query or fragment; a path is kept. " +
					"`http` is accepted for loopback addresses, and for others with `allow_http`. Redirects are never followed. Environment variable: `EMBED_BASE_URL`.",
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Key for the service's API. It must be allowed to create and delete, since a lookup of a missing group does both. " +
					"Exactly one of `api_key` and `api_key_file` is needed; if the configuration sets either, the environment is asked for neither. Surrounding white space is dropped. " +
					"An empty text is an error, and hides the variable. A saved plan file holds the key if it is written in the configuration or given by a variable, not if it comes from the environment. Environment variable: `EMBED_API_KEY`.",
			},
			"api_key_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file that holds the key and nothing else, as secret stores mount it. Surrounding white space is dropped. Environment variable: `EMBED_API_KEY_FILE`.",
			},
			"allow_http": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Accepts an `http` address that is not loopback. The key and every token can then be read on the way. Default: `false`. Environment variable: `EMBED_ALLOW_HTTP`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long a single attempt of a call may take, as a duration such as `\"45s\"` or `\"2m\"`. A run that is stopped (Ctrl-C, a cancelled job) lets the calls in flight finish, looks after a rotation without an answer, and removes what a lookup has just created: it may take up to four times this long. Default: `\"30s\"`. Environment variable: `EMBED_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.NumberAttribute{
				Optional:            true,
				Validators:          []validator.Number{countValidator{}},
				MarkdownDescription: "How often a call is repeated when it could not be sent, or got no usable answer and repeating is safe. A refusal for the pace (status 429 or 503) does not count as long as the service lets other calls of the run through: one within four times `retry_wait_max`. Between 0 and 100. Default: `4`. Environment variable: `EMBED_MAX_RETRIES`.",
			},
			"retry_wait_min": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Wait before the first repetition, as a duration; it doubles with each further one. Default: `\"1s\"`. Environment variable: `EMBED_RETRY_WAIT_MIN`.",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Longest wait between two attempts, as a duration. It also caps what the service asks for with `Retry-After`. Default: `\"30s\"`. Environment variable: `EMBED_RETRY_WAIT_MAX`.",
			},
			"requests_per_second": schema.Float64Attribute{
				Optional:            true,
				Validators:          []validator.Float64{float64validator.AtLeast(0.01)},
				MarkdownDescription: "Upper limit for the calls of one run, evenly spaced, whatever `-parallelism` is. Below it, and without it, the run finds the pace that the service allows by itself: it slows down when calls are refused with status 429 or 503, and speeds up again as they get through. Several runs at once each have their own limit. At least 0.01. Default: no limit. Environment variable: `EMBED_REQUESTS_PER_SECOND`.",
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Further headers for every request, for example for a gateway in front of the service. Their values are treated as secrets. " +
					"Headers that the provider decides itself are refused: `Accept`, `Accept-Encoding`, `Authorization`, `Connection`, `Content-Length`, `Content-Type`, `Expect`, `Host`, `Te`, `Trailer`, `Transfer-Encoding`, `Upgrade`, `User-Agent`. Environment variable: `EMBED_HEADERS`, as a JSON object.",
			},
			"ca_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file with PEM certificates of authorities to trust instead of the system's. Not together with `ca_cert_pem`. Environment variable: `EMBED_CA_CERT_FILE`.",
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The same certificates as text. Environment variable: `EMBED_CA_CERT_PEM`.",
			},
			"client_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file with the PEM certificate that the provider shows to a service that asks for one, followed by intermediate certificates where those are needed. It must not have expired, and needs `client_key_file` or `client_key_pem`. Not together with `client_cert_pem`. Environment variable: `EMBED_CLIENT_CERT_FILE`.",
			},
			"client_cert_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The same certificate as text. Environment variable: `EMBED_CLIENT_CERT_PEM`.",
			},
			"client_key_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file with the key of the client certificate in PEM form, not encrypted. Not together with `client_key_pem`. Environment variable: `EMBED_CLIENT_KEY_FILE`.",
			},
			"client_key_pem": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "The same key as text. Environment variable: `EMBED_CLIENT_KEY_PEM`.",
			},
			"tls_server_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The name that the certificate of the service must have. Default: the host in `base_url`. Environment variable: `EMBED_TLS_SERVER_NAME`.",
			},
			"proxy_url": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Address of the proxy on the way to the service, such as `http://proxy.example.com:3128`, with user name and password where it asks for them (percent-encoded). `http`, `https` and `socks5` are supported. An empty text means none. Default: what `HTTPS_PROXY` (`HTTP_PROXY` for an `http` address) and `NO_PROXY` say. Environment variable: `EMBED_PROXY_URL`.",
			},
			"user_agent_suffix": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Text appended to the `User-Agent` header, so that the service's log tells pipelines apart. What `TF_APPEND_USER_AGENT` holds is appended as well. Environment variable: `EMBED_USER_AGENT_SUFFIX`.",
			},
			"environment": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The environment that the key must belong to, `Customer` or `Testing`. Only updates and rotations tell the environment, so each create, each adoption and each lookup of a missing group costs one more call, and a group created in the wrong one is removed again. " +
					"An update or a rotation of an existing group has been carried out by the time its answer shows the wrong environment; the run then stops. " +
					"A group that the state knows to be in the other environment is neither updated, rotated nor deleted. Default: any. Environment variable: `EMBED_ENVIRONMENT`.",
			},
		},
	}
}
