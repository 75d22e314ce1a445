package acceptance

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// standIn stands in for a provider of HashiCorp, which is not available everywhere. It has no arguments.
type standIn struct {
	name               string
	resources          []func() resource.Resource
	ephemeralResources []func() ephemeral.EphemeralResource
}

func (s standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = s.name
}

func (s standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (s standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (s standIn) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (s standIn) Resources(context.Context) []func() resource.Resource { return s.resources }

func (s standIn) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return s.ephemeralResources
}

// serves makes engines use a provider in this process until the test ends.
func (w *workbench) serves(instead standIn) {
	w.t.Helper()
	address := "hashicorp/" + instead.name
	reattach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(func() {
		cancel()
		<-closed
	})
	server := providerserver.NewProtocol6(instead)
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
		text, err := json.Marshal(map[string]any{
			"registry.terraform.io/" + address: at, "registry.opentofu.org/" + address: at,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		w.env = append(w.env, "TF_REATTACH_PROVIDERS="+string(text))
	case <-time.After(10 * time.Second):
		w.t.Fatalf("the provider in place of %s did not start", address)
	}
}
