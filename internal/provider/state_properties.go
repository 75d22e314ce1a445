package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

const titlePropertiesInvalid = "Invalid properties"

// propertiesType is the type of the attribute properties, a JSON object as text. A dynamic attribute would be easier
// to read in a configuration, but it prints sensitive members after drift and fails for large integers. A string type
// that only ignores white space would plan a change from 1 to 1.0.
type propertiesType struct{ basetypes.StringType }

// propertiesValue is a value of propertiesType.
type propertiesValue struct{ basetypes.StringValue }

var (
	_ basetypes.StringTypable                    = propertiesType{}
	_ basetypes.StringValuableWithSemanticEquals = propertiesValue{}
	_ xattr.ValidateableAttribute                = propertiesValue{}
)

// Equal implements attr.Type.
func (t propertiesType) Equal(other attr.Type) bool {
	_, ok := other.(propertiesType)
	return ok
}

// String implements attr.Type.
func (t propertiesType) String() string { return "propertiesType" }

// ValueType implements attr.Type.
func (t propertiesType) ValueType(context.Context) attr.Value { return propertiesValue{} }

// ValueFromString implements basetypes.StringTypable.
func (t propertiesType) ValueFromString(
	_ context.Context, value basetypes.StringValue,
) (basetypes.StringValuable, diag.Diagnostics) {
	return propertiesValue{value}, nil
}

// ValueFromTerraform implements attr.Type.
func (t propertiesType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	text, _ := value.(basetypes.StringValue) // It is one unless there is an error.
	return propertiesValue{text}, err
}

// Type implements attr.Value.
func (v propertiesValue) Type(context.Context) attr.Type { return propertiesType{} }

// Equal implements attr.Value. It compares the texts. To compare the JSON values, use sameJSON.
func (v propertiesValue) Equal(other attr.Value) bool {
	properties, ok := other.(propertiesValue)
	return ok && v.StringValue.Equal(properties.StringValue)
}

// String implements attr.Value. It says nothing about the text, which may be confidential, because the framework logs
// the result.
func (v propertiesValue) String() string {
	return "(JSON text)"
}

// GoString implements fmt.GoStringer, for the same reason as String.
func (v propertiesValue) GoString() string { return "provider.propertiesValue{" + v.String() + "}" }

// StringSemanticEquals implements basetypes.StringValuableWithSemanticEquals.
func (v propertiesValue) StringSemanticEquals(
	_ context.Context, other basetypes.StringValuable,
) (bool, diag.Diagnostics) {
	properties, ok := other.(propertiesValue)
	return ok && v.sameJSON(properties), nil
}

// sameJSON reports whether both values are the same JSON object, regardless of notation, or the same text. Null,
// unknown, and text that is not a JSON object equal only themselves. A state that was edited by hand can contain such
// text.
func (v propertiesValue) sameJSON(other propertiesValue) bool {
	if v.Equal(other) {
		return true
	}
	mine, theirs := v.object(), other.object()
	return !mine.IsZero() && mine.Equal(theirs)
}

// isShownBy reports whether the object that a service shows is this one, or what services make of it without changing
// its meaning.
func (v propertiesValue) isShownBy(shown api.Properties) bool {
	return v.object().ShownBy(shown)
}

// object returns the object, or the zero value for null, unknown, and text that is not a JSON object.
func (v propertiesValue) object() api.Properties {
	object, _ := v.parse()
	return object
}

// parse returns the object, or the zero value for null and unknown.
func (v propertiesValue) parse() (api.Properties, error) {
	if v.IsNull() || v.IsUnknown() {
		return api.Properties{}, nil
	}
	return api.ParseProperties(v.ValueString())
}

// ValidateAttribute implements xattr.ValidateableAttribute.
func (v propertiesValue) ValidateAttribute(
	_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse,
) {
	if _, err := v.parse(); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, titlePropertiesInvalid, propertiesFault(err))
	}
}

// propertiesFault returns what is wrong with a text and how to fix it. It does not quote the text, which may be
// confidential.
func propertiesFault(err error) string {
	return "The text " + err.Error() + ".\n\nNo call was made.\n\nWrite the object in Terraform's own syntax, and " +
		"encode it once: properties = jsonencode({ ... }). To leave the properties alone, omit the argument. To empty " +
		"them, write jsonencode({})."
}
