package provider

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	acctest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// What the ephemeral resource gives is seen through the echo provider, which keeps what its configuration is.
func TestAccEphemeralValues(t *testing.T) {
	engine.Needs(t, engine.EphemeralResource)
	service := startService(t, emulator.Options{})
	group := service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	providers := maps.Clone(factories)
	providers["echo"] = echoprovider.NewProviderServer()
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: providers,
		Steps: []acctest.TestStep{{
			Config: providerFor(service) + `
ephemeral "embed_user_group_token" "acme" {
  user_group_id = "acme"
}

provider "echo" {
  data = ephemeral.embed_user_group_token.acme
}

resource "echo" "acme" {}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("echo.acme", at("data"), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"user_group_id": knownvalue.StringExact("acme"), "token": knownvalue.StringExact(group.Token),
					"token_fingerprint": knownvalue.StringExact(fingerprint(group.Token)), "team_id": knownvalue.Int64Exact(group.TeamID),
				})),
			},
		}},
	})
}

// Opened once per plan and once per apply that uses it, with one lookup each, and safe at plan.
func TestAccEphemeralOpens(t *testing.T) {
	engine.Needs(t, engine.EphemeralResource)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	w.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	w.write("main.tf", requiredProviders+`
ephemeral "embed_user_group_token" "acme" {
  user_group_id = "acme"
}

variable "step" {
  type = number
}

# OpenTofu does not open what an apply has no use for.
resource "terraform_data" "use" {
  triggers_replace = var.step

  provisioner "local-exec" {
    command     = "test -n \"$TOKEN\""
    environment = { TOKEN = ephemeral.embed_user_group_token.acme.token }
  }
}
`)
	opened := func(what string, times int) {
		t.Helper()
		if calls := w.service.Calls(); w.service.Count("GET") != times || len(calls) != times {
			t.Errorf("%s should open %d times and do nothing else: %v", what, times, calls)
		}
		w.service.ResetCounts()
	}
	w.must("plan", "-out=planned", "-var=step=1")
	opened("a plan", 1)
	w.must("apply", "planned")
	opened("an apply of a plan", 1)
	w.must("apply", "-auto-approve", "-var=step=2")
	opened("a plan and its apply", 2)
	w.must("plan", "-refresh=false", "-var=step=2")
	opened("a plan without refresh", 1)
	w.holdsNoToken()
}

// The recipe of examples/token-to-secret-store, through its life: the first plan asks nobody, the secret is written when the
// token has changed, and only then, and at no time is a token in any file.
func TestAccEphemeralRecipe(t *testing.T) {
	engine.Needs(t, engine.EphemeralResource)
	engine.Needs(t, engine.WriteOnly)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	store := w.standInForAWS()
	w.copy(examplesDir + "/token-to-secret-store")
	tokens := func() string { group, _ := w.service.Group("acme"); return group.Token }

	w.must("plan", "-out=planned")
	if calls := w.service.Calls(); len(calls) > 0 {
		t.Errorf("the first plan should ask nobody: %v", calls)
	}
	w.must("apply", "planned")
	first := tokens()
	store.holds(t, first)
	w.plansNothing()
	w.apply()
	store.holds(t, first)
	w.holdsNoToken()

	w.apply("-var=token_period=2027-Q1")
	second := tokens()
	w.rotated("acme", 1)
	store.holds(t, first, second)
	w.plansNothing("-var=token_period=2027-Q1")
	w.holdsNoToken()

	// Rotated by somebody else: the next plan shows it.
	third := w.service.RotateBehind("acme")
	w.apply("-var=token_period=2027-Q1")
	w.rotated("acme", 1)
	store.holds(t, first, second, third)
	w.plansNothing("-var=token_period=2027-Q1")
	w.holdsNoToken()

	w.must("destroy", "-auto-approve", "-var=token_period=2027-Q1")
	w.holdsNoToken()
	w.has()
}

// standIn speaks for hashicorp/aws, which cannot be had everywhere: the two resources of the recipe, with arguments of the same
// kind. It keeps what was written.
type standIn struct {
	mu      sync.Mutex
	written []string
}

func (s *standIn) holds(t *testing.T, written ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.written, written) {
		t.Errorf("%d secrets were written, or other ones, and %d should be", len(s.written), len(written))
	}
}

// standInForAWS serves the stand-in from this process for as long as the test takes.
func (w *workbench) standInForAWS() *standIn {
	w.t.Helper()
	store := &standIn{}
	reattach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(func() {
		cancel()
		<-closed
	})
	const address = "hashicorp/aws"
	server := providerserver.NewProtocol6(store)
	go func() {
		_ = tf6server.Serve("registry.terraform.io/"+address, server, tf6server.WithDebug(ctx, reattach, closed),
			tf6server.WithLoggingSink(w.t), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	select {
	case where := <-reattach:
		at := map[string]any{
			"Protocol": string(where.Protocol), "ProtocolVersion": where.ProtocolVersion, "Pid": where.Pid, "Test": where.Test,
			"Addr": map[string]string{"Network": where.Addr.Network(), "String": where.Addr.String()},
		}
		text, err := json.Marshal(map[string]any{"registry.terraform.io/" + address: at, "registry.opentofu.org/" + address: at})
		if err != nil {
			w.t.Fatal(err)
		}
		w.env = append(w.env, "TF_REATTACH_PROVIDERS="+string(text))
	case <-time.After(10 * time.Second):
		w.t.Fatal("the stand-in does not start")
	}
	return store
}

func (s *standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "aws"
}

func (s *standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (s *standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (s *standIn) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (s *standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource {
			return &standInResource{name: "aws_secretsmanager_secret", attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{Required: true},
				"id":   standInID,
			}}
		},
		func() resource.Resource {
			return &standInResource{name: "aws_secretsmanager_secret_version", writes: s, attributes: map[string]schema.Attribute{
				"secret_id":                schema.StringAttribute{Required: true},
				"secret_string_wo":         schema.StringAttribute{Optional: true, WriteOnly: true},
				"secret_string_wo_version": schema.Int64Attribute{Optional: true},
				"id":                       standInID,
			}}
		},
	}
}

var standInID = schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}

type standInResource struct {
	name       string
	attributes map[string]schema.Attribute
	writes     *standIn
}

func (r *standInResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r *standInResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: r.attributes}
}

// write takes the write-only argument, which only the configuration has.
func (r *standInResource) write(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	if r.writes == nil {
		return
	}
	var secret types.String
	diags.Append(config.GetAttribute(ctx, path.Root("secret_string_wo"), &secret)...)
	r.writes.mu.Lock()
	defer r.writes.mu.Unlock()
	r.writes.written = append(r.writes.written, secret.ValueString())
}

func (r *standInResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.write(ctx, req.Config, &resp.Diagnostics)
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), r.name)...)
}

func (r *standInResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *standInResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.write(ctx, req.Config, &resp.Diagnostics)
	resp.State.Raw = req.Plan.Raw
}

func (r *standInResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
