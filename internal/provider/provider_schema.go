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
			"at the dashboard service, and the group's token tells an embedded dashboard which customer is viewing " +
			"it.\n\nEvery argument has an environment variable. An argument in the provider block overrides its variable. " +
			"Configuring the provider makes no call.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service, such as `https://dashboards.example.com`, without user name, " +
					"query or fragment. `/api/user` is appended, unless the address already ends in `/api/user` or " +
					"`/api/user/`. `http` is accepted for loopback addresses. Redirects are never followed. Required. " +
					"Environment variable: `EMBED_BASE_URL`.",
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key for the service. Surrounding white space is removed. A saved plan file contains " +
					"a key from the configuration or a Terraform variable, unless the value is ephemeral. It does not contain a " +
					"key from the environment variable. Required. Environment variable: `EMBED_API_KEY`.",
			},
			"environment": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(environments...)},
				MarkdownDescription: "Environment that the API key must belong to: `Customer` or `Testing`. A preflight checks " +
					"the key before the first change, and before a group is treated as missing, replaced or existing although " +
					"the state does not have it. It creates, updates and deletes a group of its own. With a wrong key, the " +
					"run ends before any of your groups is changed. Default: any. Environment variable: `EMBED_ENVIRONMENT`.",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Your own ID for a data source, which is sent with the deletion of each group that has " +
					"none of its own. Set it if the service demands one. Environment variable: `EMBED_DATA_SOURCE_PROVIDED_ID`.",
			},
			"max_deletions": schema.Int64Attribute{
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, mostDeletions)},
				MarkdownDescription: "Maximum number of groups that one run may delete or replace. A plan that deletes more " +
					"groups fails, and nothing is changed. `-replace` and tainted resources fail during the apply instead, " +
					"before the first deletion over the limit. `terraform state rm` does not count. Default: no limit. " +
					"Environment variable: `EMBED_MAX_DELETIONS`.",
			},
			"allow_http": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept an `http` address that is not a loopback address. Anyone on the " +
					"network path can then read the key and every token. Default: `false`. Environment variable: " +
					"`EMBED_ALLOW_HTTP`.",
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Additional headers for every request, for example for a gateway. The values are treated " +
					"as secrets. Headers that the provider sets itself are reserved. Environment variable: `EMBED_HEADERS`, as " +
					"a JSON object.",
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM certificates of the authorities to trust instead of the system's, for example " +
					"`file(\"ca.pem\")`. Verification cannot be turned off. Environment variable: `EMBED_CA_CERT_PEM`.",
			},
			"client_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "PEM client certificate, for a service or a gateway that asks for one. Requires " +
					"`client_key_pem`. Environment variable: `EMBED_CLIENT_CERT_PEM`.",
			},
			"client_key_pem": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "PEM private key of the client certificate, without a passphrase. What is said about " +
					"saved plan files under `api_key` applies, also to `file()`. Environment variable: `EMBED_CLIENT_KEY_PEM`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{durationValidator{}},
				MarkdownDescription: "Time limit for one attempt at a call, such as `\"45s\"`. A run that is stopped finishes " +
					"the calls in flight. Default: `\"30s\"`. Environment variable: `EMBED_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.Int64Attribute{
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, mostRetries)},
				MarkdownDescription: "Maximum number of retries for one operation on a group. The provider only repeats a call " +
					"that does no harm twice. `0` turns retries off. Default: `4`. Environment variable: `EMBED_MAX_RETRIES`.",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{durationValidator{}},
				MarkdownDescription: "Longest wait between two attempts. It also limits what the service asks for with " +
					"`Retry-After`. Default: `\"30s\"`. Environment variable: `EMBED_RETRY_WAIT_MAX`.",
			},
			"requests_per_second": schema.Float64Attribute{
				Optional:   true,
				Validators: []validator.Float64{float64validator.AtLeast(leastRate)},
				MarkdownDescription: "Maximum number of calls per second in one run. Without it, a run slows down when calls are " +
					"refused with status 429 or 503. Default: no limit. Environment variable: `EMBED_REQUESTS_PER_SECOND`.",
			},
		},
	}
}
