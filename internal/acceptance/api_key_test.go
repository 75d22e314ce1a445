package acceptance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccEphemeralKeyIsReadAgainInEachRun gives every plan and every apply another API key. No file contains one.
func TestAccEphemeralKeyIsReadAgainInEachRun(t *testing.T) {
	keys := map[string]string{}
	for i := range 10 {
		keys[fmt.Sprintf("short-lived-key-%d", i)] = "Customer"
	}
	w := parallelWorkbench(t, emulator.Options{Environments: keys}, engine.EphemeralResource)
	vault := &vaultSecret{}
	w.serves(standIn{name: "vault", ephemeralResources: []func() ephemeral.EphemeralResource{
		func() ephemeral.EphemeralResource { return vault },
	}})
	w.env = append(w.env, "EMBED_API_KEY=")
	w.copy(examplesDir + "/api-key-from-vault")
	usedAKeyOfItsOwn := func() {
		t.Helper()
		for _, call := range w.service.Calls() {
			if got, want := call.Header.Get("Authorization"), "Token "+vault.last(); got != want {
				t.Errorf("%s: the header is %q, want %q", call.Method, got, want)
			}
		}
		w.service.ResetCounts()
	}
	for _, change := range []string{"Acme Ltd", "Acme Inc."} {
		w.replace("main.tf", "Acme Ltd", change)
		w.must("plan", "-out=planned")
		usedAKeyOfItsOwn()
		w.must("apply", "planned")
		if group, _ := w.service.Group("acme"); group.Name != change {
			t.Errorf("the name is %q, want %q", group.Name, change)
		}
		usedAKeyOfItsOwn()
	}
	w.plansNothing()
	if opened := vault.opened.Load(); opened < 5 {
		t.Errorf("the key was read %d times by five runs", opened)
	}
	if found := w.filesWith("short-lived-key"); len(found) > 0 {
		t.Errorf("these files contain a key: %q", found)
	}
	if found := w.filesWith("vault_kv_secret_v2"); !slices.ContainsFunc(found, func(path string) bool {
		return strings.HasSuffix(path, "planned")
	}) {
		t.Errorf("the plan file was not searched: %q", found)
	}
	w.unprotect()
	w.apply()
	w.must("destroy", "-auto-approve")
	w.has()
}

// vaultSecret returns another API key each time.
type vaultSecret struct{ opened atomic.Int64 }

func (s *vaultSecret) last() string { return fmt.Sprintf("short-lived-key-%d", s.opened.Load()%10) }

func (*vaultSecret) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "vault_kv_secret_v2"
}

func (*vaultSecret) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"mount": schema.StringAttribute{Required: true},
		"name":  schema.StringAttribute{Required: true},
		"data":  schema.MapAttribute{Computed: true, ElementType: types.StringType},
	}}
}

func (s *vaultSecret) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	s.opened.Add(1)
	resp.Result.Raw = req.Config.Raw
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("data"), map[string]string{"api_key": s.last()})...)
}
