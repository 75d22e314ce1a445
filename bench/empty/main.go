// Command empty is a framework provider with nothing in it: the floor for a cold start.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

type empty struct{}

func (empty) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "embed"
}

func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (empty) Resources(context.Context) []func() resource.Resource { return nil }

func (empty) DataSources(context.Context) []func() datasource.DataSource { return nil }

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return empty{} }, providerserver.ServeOpts{
		Address: "registry.terraform.io/dashembed/embed",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "empty:", err)
		os.Exit(1)
	}
}
