package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

func propertiesText(text string) propertiesValue { return propertiesValue{types.StringValue(text)} }

// TestPropertiesValuesThatAreEqual checks that null, unknown and texts without an object are the same only as
// themselves.
func TestPropertiesValuesThatAreEqual(t *testing.T) {
	t.Parallel()
	values := []propertiesValue{
		{types.StringNull()}, {types.StringUnknown()}, propertiesText(""), propertiesText("null"), propertiesText("{}"),
	}
	for i, a := range values {
		for j, b := range values {
			if a.sameJSON(b) != (i == j) {
				t.Errorf("values %d and %d: sameJSON returns %t", i, j, a.sameJSON(b))
			}
		}
	}
	if !(propertiesType{}).Equal(propertiesType{}) || (propertiesType{}).Equal(basetypes.StringType{}) {
		t.Error("propertiesType must equal itself, and must not equal a plain string")
	}
}

// TestPropertiesNeverShowTheText checks that a printed value does not contain the text, even if it is no object. The
// errors of jsonobject cannot contain it.
func TestPropertiesNeverShowTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"hunter2", `{"hunter2":"hunter2"}`} {
		value := propertiesText(text)
		shown := fmt.Sprintf("%v %+v %#v %s %q %s", value, value, value, value, value, value.String())
		if strings.Contains(shown, "hunter2") {
			t.Errorf("the text %q is shown: %s", text, shown)
		}
	}
}
