package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestSetsAreOfIDs checks that each set of a data source has the type idsType, because the framework's own takes
// minutes for thousands of elements.
func TestSetsAreOfIDs(t *testing.T) {
	t.Parallel()
	sets := 0
	for _, create := range New("test")().DataSources(t.Context()) {
		var resp datasource.SchemaResponse
		create().Schema(t.Context(), datasource.SchemaRequest{}, &resp)
		for name, attribute := range resp.Schema.Attributes {
			if set, is := attribute.(schema.SetAttribute); is {
				sets++
				if set.CustomType == nil || !set.CustomType.Equal(newIDsType()) {
					t.Errorf("%s does not have the type idsType", name)
				}
			}
		}
	}
	if sets == 0 {
		t.Error("there are no sets")
	}
}

// TestIDsAreEqualInAnyOrder checks which sets of IDs are equal.
func TestIDsAreEqualInAnyOrder(t *testing.T) {
	t.Parallel()
	set := func(ids ...attr.Value) idsValue { return idsValue{types.SetValueMust(types.StringType, ids)} }
	a, b, unknown := types.StringValue("a"), types.StringValue("b"), types.StringUnknown()
	all := map[string]idsValue{
		"null": {types.SetNull(types.StringType)}, "unknown": {types.SetUnknown(types.StringType)},
		"empty": set(), "a": set(a), "a, b": set(a, b), "a, unknown": set(a, unknown),
	}
	for one, mine := range all {
		for other, theirs := range all {
			if mine.Equal(theirs) != (one == other) {
				t.Errorf("{%s} and {%s}: equal is %t", one, other, mine.Equal(theirs))
			}
		}
		if mine.Equal(mine.SetValue) {
			t.Errorf("{%s} equals a set of another type", one)
		}
	}
	if same, _ := set(a, b).SetSemanticEquals(t.Context(), set(b, a)); !same {
		t.Error("the order matters")
	}
}
