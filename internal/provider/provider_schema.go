package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// providerModel is the configuration of the provider block.
type providerModel struct {
	BaseURL              types.String  `tfsdk:"base_url"`
	APIKey               types.String  `tfsdk:"api_key"`
	Environment          types.String  `tfsdk:"environment"`
	DataSourceProvidedID types.String  `tfsdk:"data_source_provided_id"`
	MaxDeletions         types.Int64   `tfsdk:"max_deletions"`
	AllowHTTP            types.Bool    `tfsdk:"allow_http"`
	Headers              types.Map     `tfsdk:"headers"`
	CACertPEM            types.String  `tfsdk:"ca_cert_pem"`
	ClientCertPEM        types.String  `tfsdk:"client_cert_pem"`
	ClientKeyPEM         types.String  `tfsdk:"client_key_pem"`
	RequestTimeout       types.String  `tfsdk:"request_timeout"`
	MaxRetries           types.Int64   `tfsdk:"max_retries"`
	RetryWaitMax         types.String  `tfsdk:"retry_wait_max"`
	RequestsPerSecond    types.Float64 `tfsdk:"requests_per_second"`
}

// The bounds of arguments that are numbers.
const (
	mostRetries, mostDeletions = 100, 1_000_000
	leastRate                  = 0.01
)

func (p *embedProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the customers of a product that embeds dashboards. Each customer is a *user group* " +
			"at the dashboard service. Every argument has an environment variable, which the provider block overrides. " +
			"Configuring the provider makes no call.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service, such as `https://dashboards.example.com`, to which `/api/user` " +
					"is added. An address that ends in `/api/user` or `/api/user/` is used as it is. Required. Plain `http` is " +
					"for loopback addresses, or needs `allow_http`. Redirects are not followed. Environment variable: " +
					"`EMBED_BASE_URL`.",
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key of the service, with the [permissions](#permissions-of-the-key) to create and " +
					"delete groups even for a plan. Required. Use the environment variable or an ephemeral value: **saved plan " +
					"files contain a key from the configuration, from a variable, or from `file()`**. Surrounding white space is " +
					"removed; other invisible characters are refused. Environment variable: `EMBED_API_KEY`.",
			},
			"environment": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(environments...)},
				MarkdownDescription: "Environment that the key must belong to, `Customer` or `Testing`. A preflight checks " +
					"this once in a process, before the first change, and before an unknown group is looked up: it creates, " +
					"looks up, updates and deletes a test group. **With a wrong key, the run ends before any of your groups is " +
					"changed.** Needs a service that returns `api_environment_tag`. Default: any. Environment variable: " +
					"`EMBED_ENVIRONMENT`.",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Your own ID of the data source, for a service that requires it for deletions. It is sent " +
					"with every deletion, also after lookups; a group's own argument comes first. Set it before the first run: " +
					"otherwise, lookups leave empty groups behind. Environment variable: `EMBED_DATA_SOURCE_PROVIDED_ID`.",
			},
			"max_deletions": schema.Int64Attribute{
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, mostDeletions)},
				MarkdownDescription: "Limit on the groups that one run deletes or replaces, for each provider block. A plan " +
					"over the limit fails, and nothing is changed. With `-replace` or tainted resources, the apply fails before " +
					"the first deletion over the limit. `0` allows none. Default: no limit. Environment variable: " +
					"`EMBED_MAX_DELETIONS`.",
			},
			"allow_http": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Accepts `http` addresses that are not loopback. **Anyone on the network path can then " +
					"read the key and every token.** Default: `false`. Environment variable: `EMBED_ALLOW_HTTP`.",
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Further headers for every request, for example for a gateway. Their values are treated " +
					"as secrets. The provider's own headers, such as `Authorization`, cannot be set. Environment variable: " +
					"`EMBED_HEADERS`, as a JSON object.",
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM certificates of the authorities to trust instead of the system's, as in " +
					"`file(\"ca.pem\")`. Verification cannot be turned off. Environment variable: `EMBED_CA_CERT_PEM`.",
			},
			"client_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM client certificate for mutual TLS, followed by its intermediates. Requires " +
					"`client_key_pem`. Environment variable: `EMBED_CLIENT_CERT_PEM`.",
			},
			"client_key_pem": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "PEM private key of the client certificate, without a passphrase. Use the environment " +
					"variable or an ephemeral value: **`file()` writes the key into saved plan files**. Environment variable: " +
					"`EMBED_CLIENT_KEY_PEM`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Time limit of one attempt at a call, such as `\"45s\"` or `\"2m\"`. After Ctrl-C, calls " +
					"in flight finish: this takes up to twice the limit. Default: `\"30s\"`. Environment variable: " +
					"`EMBED_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.Int64Attribute{
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, mostRetries)},
				MarkdownDescription: "Retries of one operation on a group, shared by its calls. Only what is safe to repeat is " +
					"repeated. While other calls get through, refusals with 429 or 503 do not count. `0` turns retries off. At " +
					"most 100. Default: `4`. Environment variable: `EMBED_MAX_RETRIES`.",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Longest wait between two attempts, also for a `Retry-After`. Waits begin at one second " +
					"and double. Default: `\"30s\"`. Environment variable: `EMBED_RETRY_WAIT_MAX`.",
			},
			"requests_per_second": schema.Float64Attribute{
				Optional:   true,
				Validators: []validator.Float64{float64validator.AtLeast(leastRate)},
				MarkdownDescription: "Limit on the calls of this provider block in one run. Without it, too, a run slows down " +
					"while calls are refused with 429 or 503. At least 0.01. Default: no limit. Environment variable: " +
					"`EMBED_REQUESTS_PER_SECOND`.",
			},
		},
	}
}
