package acceptance

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// secretStores stands in for hashicorp/aws and hashicorp/vault, which are not available everywhere. It has what pages
// and examples use of them, with arguments of the same types. Vault contains the API key, and AWS records the secrets
// that are written.
type secretStores struct {
	mu      sync.Mutex
	written []string
}

func (s *secretStores) secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.written)
}

// bringsStores makes engines use secretStores, in this process, until the test ends.
func (w *workbench) bringsStores() *secretStores {
	w.t.Helper()
	store := &secretStores{}
	reattach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(func() {
		cancel()
		<-closed
	})
	go func() {
		_ = tf6server.Serve("registry.terraform.io/hashicorp/aws", providerserver.NewProtocol6(store),
			tf6server.WithDebug(ctx, reattach, closed), tf6server.WithLoggingSink(w.t),
			tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	where := <-reattach
	at, providers := map[string]any{
		"Protocol": string(where.Protocol), "ProtocolVersion": where.ProtocolVersion, "Pid": where.Pid, "Test": where.Test,
		"Addr": map[string]string{"Network": where.Addr.Network(), "String": where.Addr.String()},
	}, map[string]any{}
	for _, name := range []string{"aws", "vault"} {
		providers[w.engine.Registry()+"/hashicorp/"+name] = at
	}
	text, _ := json.Marshal(providers) // cannot fail with these types
	w.env = append(w.env, "TF_REATTACH_PROVIDERS="+string(text))
	return store
}

func (*secretStores) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse) {
}
func (*secretStores) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (*secretStores) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (*secretStores) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (s *secretStores) Resources(context.Context) []func() resource.Resource {
	text, number := schema.StringAttribute{Optional: true}, schema.Int64Attribute{Optional: true}
	id := schema.StringAttribute{Computed: true, Default: stringdefault.StaticString("computed")}
	secret := schema.StringAttribute{Optional: true, WriteOnly: true}
	kind := func(name string, attributes map[string]schema.Attribute) func() resource.Resource {
		return func() resource.Resource { return &secretInAWS{s, name, attributes} }
	}
	return []func() resource.Resource{
		kind("aws_secretsmanager_secret", map[string]schema.Attribute{
			"id": id, "name": text, "recovery_window_in_days": number,
		}),
		kind("aws_secretsmanager_secret_version", map[string]schema.Attribute{
			"id": id, "secret_id": text, "secret_string_wo": secret, "secret_string_wo_version": number,
		}),
	}
}

func (*secretStores) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return secretInVault{} }}
}

type secretInAWS struct {
	*secretStores
	name       string
	attributes map[string]schema.Attribute
}

func (r *secretInAWS) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r *secretInAWS) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: r.attributes}
}

func (r *secretInAWS) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics = r.record(ctx, req.Config)
}

func (r *secretInAWS) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics = r.record(ctx, req.Config)
}

// record records the write-only argument, which only the configuration contains.
func (r *secretInAWS) record(ctx context.Context, config tfsdk.Config) diag.Diagnostics {
	if _, is := r.attributes["secret_string_wo"]; !is {
		return nil
	}
	var secret types.String
	diags := config.GetAttribute(ctx, path.Root("secret_string_wo"), &secret)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = append(r.written, secret.ValueString())
	return diags
}

func (*secretInAWS) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (*secretInAWS) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

type secretInVault struct{}

func (secretInVault) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "vault_kv_secret_v2"
}

func (secretInVault) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"mount": ephemeralschema.StringAttribute{Required: true},
		"name":  ephemeralschema.StringAttribute{Required: true},
		"data":  ephemeralschema.MapAttribute{Computed: true, ElementType: types.StringType},
	}}
}

func (secretInVault) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Result.Raw = req.Config.Raw
	data := map[string]string{"api_key": emulator.DefaultKey}
	resp.Diagnostics = resp.Result.SetAttribute(ctx, path.Root("data"), data)
}
