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

// providerModel is the provider block as configured.
type providerModel struct {
	BaseURL           types.String  `tfsdk:"base_url"`
	APIKey            types.String  `tfsdk:"api_key"`
	APIKeyFile        types.String  `tfsdk:"api_key_file"`
	AllowHTTP         types.Bool    `tfsdk:"allow_http"`
	RequestTimeout    types.String  `tfsdk:"request_timeout"`
	MaxRetries        types.Int64   `tfsdk:"max_retries"`
	RetryWaitMin      types.String  `tfsdk:"retry_wait_min"`
	RetryWaitMax      types.String  `tfsdk:"retry_wait_max"`
	RequestsPerSecond types.Float64 `tfsdk:"requests_per_second"`
	Headers           types.Map     `tfsdk:"headers"`
	CACertFile        types.String  `tfsdk:"ca_cert_file"`
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
				MarkdownDescription: "Address of the service, such as `https://dashboards.example.com`. It must be an absolute `https` address without user name, query or fragment; a path is kept. " +
					"`http` is accepted for loopback addresses, and for others with `allow_http`. Redirects are never followed. Environment: `EMBED_BASE_URL`.",
			},
			"api_key": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Key for the service's API. Exactly one of `api_key` and `api_key_file` is needed. Surrounding white space is dropped. Environment: `EMBED_API_KEY`.",
			},
			"api_key_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file that holds the key and nothing else, as secret stores mount it. Environment: `EMBED_API_KEY_FILE`.",
			},
			"allow_http": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Accepts an `http` address that is not loopback. The key and every token can then be read on the way. Default: `false`. Environment: `EMBED_ALLOW_HTTP`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long a single attempt of a call may take, as a duration such as `\"45s\"` or `\"2m\"`. A run that is stopped (Ctrl-C, a cancelled job) waits at most this long for the calls in flight. Default: `\"30s\"`. Environment: `EMBED_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{int64validator.Between(0, 100)},
				MarkdownDescription: "How often a call is repeated when it was throttled, could not be sent, or got no usable answer and repeating is safe. Between 0 and 100. Default: `4`. Environment: `EMBED_MAX_RETRIES`.",
			},
			"retry_wait_min": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Wait before the first repetition, as a duration; it doubles with each further one. Default: `\"1s\"`. Environment: `EMBED_RETRY_WAIT_MIN`.",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Longest wait between two attempts, as a duration. It also caps what the service asks for with `Retry-After`. Default: `\"30s\"`. Environment: `EMBED_RETRY_WAIT_MAX`.",
			},
			"requests_per_second": schema.Float64Attribute{
				Optional:            true,
				Validators:          []validator.Float64{float64validator.AtLeast(0.01)},
				MarkdownDescription: "Upper limit for the calls of one run, evenly spaced, whatever `-parallelism` is. At least 0.01. Default: no limit. Environment: `EMBED_REQUESTS_PER_SECOND`.",
			},
			"headers": schema.MapAttribute{
				Optional:            true,
				Sensitive:           true,
				ElementType:         types.StringType,
				MarkdownDescription: "Further headers for every request, for example for a gateway in front of the service. `Authorization` and `Content-Type` cannot be set. Environment: `EMBED_HEADERS`, as a JSON object.",
			},
			"ca_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file with PEM certificates of authorities to trust instead of the system's. Environment: `EMBED_CA_CERT_FILE`.",
			},
			"user_agent_suffix": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Text appended to the `User-Agent` header, so that the service's log tells pipelines apart. What `TF_APPEND_USER_AGENT` holds is appended as well. Environment: `EMBED_USER_AGENT_SUFFIX`.",
			},
			"environment": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf("Customer", "Testing")},
				MarkdownDescription: "The environment that the key must belong to, `Customer` or `Testing`. With it, a key of the other environment is noticed before it does harm: " +
					"a group created there is removed again, and any answer with the other tag stops the run. Each create then costs one more call, since only an update tells the environment. Default: any. Environment: `EMBED_ENVIRONMENT`.",
			},
		},
	}
}
