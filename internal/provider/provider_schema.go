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
			"at the dashboard service. Every argument has an environment variable, its name in capitals behind `EMBED_`, " +
			"which the provider block overrides. Configuring the provider makes no call.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service, such as `https://dashboards.example.com`. The provider " +
					"adds `/api/user`. Required. It must begin with `https`, except for loopback addresses, or with `allow_http`.",
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key of the service, with these [permissions](#permissions-of-the-key). " +
					"Required. **Unless it comes from `EMBED_API_KEY` or is ephemeral, a saved plan can contain it.**",
			},
			"environment": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Environment that the key must belong to. Valid values are `Customer` and " +
					"`Testing`. Not checked by default. **Without it, a run with the other key creates a copy of every " +
					"customer who has no group there.**",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Your own ID of a data source, for a service that demands one in deletions. Not " +
					"sent by default. **Without it, such a service keeps the empty groups that lookups create.**",
			},
			"lookup_fields": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Fields that the service demands in a lookup. Valid values are " +
					"`name`, `mapping` and `properties`. None by default. " +
					"[`embed-probe`](guides/service-behavior.md#the-probe) prints the line to write. **A service " +
					"that stores what a lookup sends would overwrite these fields.**",
			},
			"max_deletions": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "How many groups one run can delete or replace, for each provider instance. Between " +
					"`0` and `1000000`. No limit by default. **Without it, a truncated list deletes every " +
					"unprotected customer who is missing from it.**",
			},
			"allow_http": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to allow `http` in `base_url`. Defaults to `false`. **Anyone on the " +
					"network path can then read the key and every token.**",
			},
			"headers": schema.MapAttribute{
				Optional:            true,
				Sensitive:           true,
				ElementType:         types.StringType,
				MarkdownDescription: "Further headers of every request, for example for a gateway. None by default.",
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Certificates of the authorities to trust, in PEM format, as in " +
					"`file(\"ca.pem\")`. Defaults to the system's.",
			},
			"client_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Client certificate for mutual TLS, in PEM format, followed by its " +
					"intermediates. None by default. Requires `client_key_pem`.",
			},
			"client_key_pem": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Private key of the client certificate, in PEM format, without a passphrase. **As " +
					"with `api_key`, a saved plan can contain it.**",
			},
			"request_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Time limit of one attempt at a call, such as `45s` or `2m`. Defaults to `30s`. " +
					"**After that, the service can still do the work.**",
			},
			"max_retries": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "How many retries the calls of one operation share. Between `0` and `100`. " +
					"Defaults to `4`. **Except with `0`, waiting for [a rate limit](guides/network.md#limits) comes on top.**",
			},
			"retry_wait_max": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Longest wait for a retry, also where the service demands a longer one. " +
					"Defaults to `30s`.",
			},
			"requests_per_second": schema.NumberAttribute{
				Optional:            true,
				MarkdownDescription: "Limit on the calls of a provider instance. At least `0.01`. No limit by default.",
			},
		},
	}
}
