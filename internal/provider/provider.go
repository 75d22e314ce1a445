// Package provider implements the Terraform provider: schemas, plan modification, state and diagnostics. Package
// usergroup decides what is safe to do to a user group.
//
// The names of the files say what they are about: object_… what engines call, plan… what they plan, state_… what the
// state has, messages… what they print, and provider… the provider and its process.
package provider

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/settings"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// Address is the address of the provider in the Terraform Registry.
const Address = "registry.terraform.io/dashembed/embed"

// New returns a function that creates the provider with the given version.
func New(version string) func() provider.Provider { return NewForTests(version, time.Now, nil) }

// NewForTests is New with a clock that tells how old tokens are and, unless it is nil, a transport in place of the
// network.
func NewForTests(version string, now func() time.Time, transport http.RoundTripper) func() provider.Provider {
	return func() provider.Provider { return &embedProvider{version, now, transport, new(services)} }
}

type embedProvider struct {
	version   string
	now       func() time.Time
	transport http.RoundTripper
	begun     *services
}

var (
	_ provider.ProviderWithActions            = (*embedProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*embedProvider)(nil)
	_ provider.ProviderWithFunctions          = (*embedProvider)(nil)
	_ provider.ProviderWithListResources      = (*embedProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*embedProvider)(nil)
)

func (p *embedProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "embed"
	resp.Version = p.version
}

// ValidateConfig finds what is wrong with an argument alone, also in "terraform validate".
func (p *embedProvider) ValidateConfig(
	_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse,
) {
	reportFaults(&resp.Diagnostics, settings.Check(configured(req.Config.Raw)))
}

// Configure makes no call. If an argument is unknown, it sets no service. If the engine allows it, everything is then
// deferred until the argument is known. Otherwise, plans still work and a refresh keeps the state, but every operation
// that needs a call returns an error.
func (p *embedProvider) Configure(
	_ context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse,
) {
	data := newBase(p.now)
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData = data, data, data
	resp.ActionData, resp.ListResourceData = data, data
	// A plan needs no service, so max_deletions applies to it even if other arguments are unknown.
	read, faults := settings.Read(configured(req.Config.Raw))
	data.limit.most = read.MaxDeletions
	if !req.Config.Raw.IsFullyKnown() {
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
		return
	}
	if reportFaults(&resp.Diagnostics, faults); len(faults) > 0 {
		return
	}
	read.Client.UserAgent = settings.UserAgent(p.version, req.TerraformVersion)
	read.Client.Transport = p.transport
	data.service = p.begun.add(usergroup.New(api.New(read.Client), read.Groups))
}

func (p *embedProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newUserGroupResource}
}

func (p *embedProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newUserGroupDataSource, newUserGroupsDataSource}
}

func (p *embedProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{newUserGroupTokenEphemeralResource}
}

func (p *embedProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newRotateUserGroupTokenAction}
}

func (p *embedProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{newUserGroupListResource}
}

func (p *embedProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newTokenFingerprintFunction}
}
