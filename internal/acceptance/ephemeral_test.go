package acceptance

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccTokensInTwoRootModules checks, with examples/tokens-in-two-root-modules, that the second root module writes
// each secret when its token has changed. The first one can be planned without a valid key. No file contains a token.
func TestAccTokensInTwoRootModules(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.EphemeralResource, engine.WriteOnly)
	store := w.standInForAWS()
	w.copy(examplesDir + "/tokens-in-two-root-modules")
	root, key := w.dir, w.env
	in := func(module string, env ...string) {
		w.dir, w.env = filepath.Join(root, module), append(slices.Clone(key), env...)
	}
	in("groups")
	w.apply()
	w.service.ResetCounts()
	in("groups", "EMBED_API_KEY=not-used")
	w.says("0 to add, 2 to change, 0 to destroy",
		"plan", "-refresh=false", "-lock=false", "-input=false", "-var=quarter=2027-Q1")
	w.madeNoCall()
	for step, period := range []string{"2026-Q4", "2027-Q1"} {
		in("groups")
		w.apply("-var=quarter=" + period)
		in("secrets")
		w.apply()
		w.plansNothing()
		w.rotated("acme", step)
		written := store.secrets()
		for _, id := range []string{"acme", "initech"} {
			if group, _ := w.service.Group(id); len(written) != 2*step+2 || !slices.Contains(written[2*step:], group.Token) {
				t.Errorf("%s: the token of %s was not written, or the number of secrets, %d, is wrong", period, id, len(written))
			}
		}
	}
	w.dir = root
	w.wantNoTokens()
}

// secretStore records the secrets that are written.
type secretStore struct {
	mu      sync.Mutex
	written []string
}

func (s *secretStore) secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.written)
}

// standInForAWS stands in for hashicorp/aws, which is not available everywhere. It has the two resources of the recipe,
// with arguments of the same types.
func (w *workbench) standInForAWS() *secretStore {
	w.t.Helper()
	store := &secretStore{}
	text, number := schema.StringAttribute{Optional: true}, schema.Int64Attribute{Optional: true}
	secret := schema.StringAttribute{Optional: true, WriteOnly: true}
	keepsValue := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	id := schema.StringAttribute{Computed: true, PlanModifiers: keepsValue}
	kind := func(name string, attributes map[string]schema.Attribute) func() resource.Resource {
		return func() resource.Resource { return &standInResource{store, name, attributes} }
	}
	w.serves(standIn{name: "aws", resources: []func() resource.Resource{
		kind("aws_secretsmanager_secret", map[string]schema.Attribute{"id": id, "name": text}),
		kind("aws_secretsmanager_secret_version", map[string]schema.Attribute{
			"id": id, "secret_id": text, "secret_string_wo": secret, "secret_string_wo_version": number,
		}),
	}})
	return store
}

type standInResource struct {
	*secretStore
	name       string
	attributes map[string]schema.Attribute
}

func (r *standInResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r *standInResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: r.attributes}
}

// write records the write-only argument, which only the configuration contains.
func (r *standInResource) write(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	if _, is := r.attributes["secret_string_wo"]; is {
		var secret types.String
		diags.Append(config.GetAttribute(ctx, path.Root("secret_string_wo"), &secret)...)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.written = append(r.written, secret.ValueString())
	}
}

func (r *standInResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.write(ctx, req.Config, &resp.Diagnostics)
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), r.name)...)
}

func (r *standInResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.write(ctx, req.Config, &resp.Diagnostics)
	resp.State.Raw = req.Plan.Raw
}

func (r *standInResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *standInResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
