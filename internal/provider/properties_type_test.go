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

// TestPropertiesNeverShowTheText checks that neither a printed value nor an error contains a key or a value of
// properties.
func TestPropertiesNeverShowTheText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	// The texts have every kind of fault at every position. The secret is in keys and in values.
	valid := `{"hunter2":{"hunter2":["hunter2",null,1e5]},"b":"hunter2"}`
	texts := []string{
		secret, "hunter2: hunter2", `"hunter2"`, `["hunter2"]`, `"hunter2" hunter2`, valid + secret, valid + valid,
		`{"hunter2":1,"hunter2":"hunter2"}`, `{"hunter2":[{"hunter2":1,"x":2,"\u0068unter2":3}]}`,
		`{"hunter2":"hunter2\ud800"}`, `{"hunter2":1e99999,"b":"hunter2"}`,
	}
	for i := range valid {
		texts = append(texts, valid[:i])
		for _, intruder := range []string{"hunter2", "\x00", "\n", "}", "[", "]", ",", `"`, `\`, `\q`, `\ud800`, "é"} {
			texts = append(texts, valid[:i]+intruder+valid[i:])
		}
	}
	refused := 0
	for _, text := range texts {
		value := propertiesText(text)
		shown := fmt.Sprintf("%v %+v %#v %s %q %s", value, value, value, value, value, value.String())
		if _, err := propertiesObject(value); err != nil {
			refused++
			shown += propertiesFault(err)
		}
		if strings.Contains(shown, secret) {
			t.Fatalf("the secret in %q is shown: %s", text, shown)
		}
	}
	if refused < 500 {
		t.Errorf("only %d texts were refused, so this test proves too little", refused)
	}
}
