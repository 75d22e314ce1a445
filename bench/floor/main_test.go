package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	ours "github.com/dashembed/terraform-provider-embed/internal/provider"
)

// The floor is only one while the engine sees the same schema.
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
	want, err := ours.NewServer("floor")().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.ResourceSchemas) == 0 {
		t.Fatal("no resource")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Engines before Terraform 1.12 keep no identities, and ask without one; the framework wants one in every answer.
func TestAnswersWithoutAnIdentityInTheRequest(t *testing.T) {
	t.Parallel()
	const name = "embed_user_group"
	floor, err := providerserver.NewProtocol6WithError(newFloor())()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := floor.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	state := group(t, schemas.ResourceSchemas[name])
	read, err := floor.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: name, CurrentState: state})
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Diagnostics) > 0 || read.NewIdentity == nil {
		t.Error("read:", read.Diagnostics, read.NewIdentity)
	}
	updated, err := floor.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: state, PlannedState: state, Config: state,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(updated.Diagnostics) > 0 || updated.NewIdentity == nil {
		t.Error("update:", updated.Diagnostics, updated.NewIdentity)
	}
}

// group has an id and nothing else.
func group(t *testing.T, schema *tfprotov6.Schema) *tfprotov6.DynamicValue {
	t.Helper()
	kind, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		t.Fatalf("a schema is a %s", schema.ValueType())
	}
	attributes := map[string]tftypes.Value{}
	for attribute, kind := range kind.AttributeTypes {
		attributes[attribute] = tftypes.NewValue(kind, nil)
	}
	attributes["user_group_id"] = tftypes.NewValue(tftypes.String, "acme")
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, attributes))
	if err != nil {
		t.Fatal(err)
	}
	return &value
}
