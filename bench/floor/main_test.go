package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	embed "github.com/dashembed/terraform-provider-embed/internal/provider"
)

// TestSchemaIsOurs: the floor is only comparable if the engine sees the same schema.
func TestSchemaIsOurs(t *testing.T) {
	t.Parallel()
	floor, err := providerserver.NewProtocol6WithError(newFloor())()
	if err != nil {
		t.Fatal(err)
	}
	got, err := floor.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(got.Diagnostics) > 0 {
		t.Fatal(err, got)
	}
	want, err := embed.NewServer("floor")().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.ResourceSchemas) == 0 {
		t.Fatal("no resource")
	}
	if diff := cmp.Diff([]any{want.Provider, want.ResourceSchemas}, []any{got.Provider, got.ResourceSchemas}); diff != "" {
		t.Error(diff)
	}
}
