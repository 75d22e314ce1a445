package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema has the types and the descriptions of the arguments. Their names, defaults and bounds are those of package
// settings, which also validates them.
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
				Optional: true,
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
			"lookup_fields": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Fields that the service demands in a lookup, besides the ID: any of `name`, `mapping` and " +
					"`properties`. `embed-probe` finds out, and prints the line to write. **Name only what the service demands**: " +
					"one that stores what a lookup sends would empty these fields. Default: none. Environment variable: " +
					"`EMBED_LOOKUP_FIELDS`, separated by commas.",
			},
			"max_deletions": schema.NumberAttribute{
				Optional: true,
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
			"max_retries": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "Retries of one operation on a group, shared by its calls. Only what is safe to repeat is " +
					"repeated. While other calls get through, refusals with 429 or 503 do not count. `0` turns retries off. At " +
					"most 100. Default: `4`. Environment variable: `EMBED_MAX_RETRIES`.",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Longest wait between two attempts, also for a `Retry-After`. Waits begin at one second " +
					"and double. Default: `\"30s\"`. Environment variable: `EMBED_RETRY_WAIT_MAX`.",
			},
			"requests_per_second": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "Limit on the calls of this provider block in one run. Without it, too, a run slows down " +
					"while calls are refused with 429 or 503. At least 0.01. Default: no limit. Environment variable: " +
					"`EMBED_REQUESTS_PER_SECOND`.",
			},
		},
	}
}
