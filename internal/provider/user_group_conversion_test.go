package provider

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The framework's reflection is the reference: what it reads and writes, ours does.
func TestModelConversionIsTheFrameworks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var schema resource.SchemaResponse
	newUserGroupResource().Schema(ctx, resource.SchemaRequest{}, &schema)
	typ, ok := schema.Schema.Type().TerraformType(ctx).(tftypes.Object)
	if !ok {
		t.Fatalf("the schema is a %T", schema.Schema.Type().TerraformType(ctx))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		values := map[string]tftypes.Value{}
		for name, attribute := range typ.AttributeTypes {
			values[name] = conversionValue(random, name, attribute)
		}
		raw := tftypes.NewValue(typ, values)

		var want, got userGroupModel
		if diags := (tfsdk.State{Raw: raw, Schema: schema.Schema}).Get(ctx, &want); diags.HasError() {
			t.Fatal(diags)
		}
		var diags diag.Diagnostics
		got.read(ctx, raw, &diags)
		if diags.HasError() {
			t.Fatal(diags)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("read from %s:\n%s", raw, diff)
		}

		state := tfsdk.State{Raw: tftypes.NewValue(typ, nil), Schema: schema.Schema}
		if diags := state.Set(ctx, &want); diags.HasError() {
			t.Fatal(diags)
		}
		written := tftypes.NewValue(typ, nil)
		got.write(ctx, &written, &diags)
		if diags.HasError() || !written.Equal(state.Raw) || !written.Equal(raw) {
			t.Fatalf("written: %s %v, want %s", written, diags, state.Raw)
		}
	}
}

func conversionValue(random *rand.Rand, name string, typ tftypes.Type) tftypes.Value {
	switch random.IntN(4) {
	case 0:
		return tftypes.NewValue(typ, nil)
	case 1:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	switch {
	case name == "properties":
		return tftypes.NewValue(typ, `{"tier":"gold"}`)
	case typ.Is(tftypes.String):
		return tftypes.NewValue(typ, name)
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, random.IntN(2) == 0)
	case typ.Is(tftypes.Number):
		return tftypes.NewValue(typ, random.Int64())
	default:
		return tftypes.NewValue(typ, map[string]tftypes.Value{
			"known": tftypes.NewValue(tftypes.String, "value"), "unknown": tftypes.NewValue(tftypes.String, tftypes.UnknownValue),
		})
	}
}

func TestModelConversionNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	model := newUserGroupModel(types.StringValue("acme"), types.BoolNull())
	var diags diag.Diagnostics
	model.read(t.Context(), tftypes.NewValue(tftypes.String, "no object"), &diags)
	if !diags.HasError() {
		t.Error("a text was read as a group")
	}
	diags = nil
	raw := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}}, nil)
	model.write(t.Context(), &raw, &diags)
	if !diags.HasError() || !raw.IsNull() {
		t.Error("a group was written into an object without its attributes")
	}
}
