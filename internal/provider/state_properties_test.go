package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestPropertiesValues checks that null, unknown and texts without an object are the same only as themselves, and that
// a printed value does not contain the text.
func TestPropertiesValues(t *testing.T) {
	t.Parallel()
	values := []propertiesValue{{types.StringNull()}, {types.StringUnknown()}}
	for _, text := range []string{"", "null", "{}", "hunter2", `{"hunter2":"hunter2"}`} {
		values = append(values, propertiesValue{types.StringValue(text)})
	}
	for i, a := range values {
		for j, b := range values {
			if a.sameJSON(b) != (i == j) {
				t.Errorf("values %d and %d: sameJSON returns %t", i, j, a.sameJSON(b))
			}
		}
		shown := fmt.Sprintf("%v %+v %#v %s %q %s", a, a, a, a, a, a.String())
		if strings.Contains(shown, "hunter2") {
			t.Errorf("the text of value %d is shown: %s", i, shown)
		}
	}
	other := types.StringNull()
	if same, _ := values[0].StringSemanticEquals(t.Context(), other); same || values[0].Equal(other) {
		t.Error("a value of another type counts as the same")
	}
}
