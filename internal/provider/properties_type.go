package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
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
	if err != nil {
		return nil, err
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("a string became %T", value)
	}
	return propertiesValue{text}, nil
}

// Type implements attr.Value.
func (v propertiesValue) Type(context.Context) attr.Type { return propertiesType{} }

// Equal implements attr.Value. It compares the texts. To compare the JSON values, use sameJSON.
func (v propertiesValue) Equal(other attr.Value) bool {
	properties, ok := other.(propertiesValue)
	return ok && v.StringValue.Equal(properties.StringValue)
}

// String implements attr.Value. It masks the text, which may be confidential, because the framework logs the result.
func (v propertiesValue) String() string {
	if v.IsNull() || v.IsUnknown() {
		return v.StringValue.String()
	}
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
	if v.IsNull() || v.IsUnknown() || other.IsNull() || other.IsUnknown() {
		return false
	}
	mine, err := jsonobject.Parse(v.ValueString())
	if err != nil {
		return false
	}
	theirs, err := jsonobject.Parse(other.ValueString())
	return err == nil && jsonobject.Equal(mine, theirs)
}

// ValidateAttribute implements xattr.ValidateableAttribute.
func (v propertiesValue) ValidateAttribute(
	_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse,
) {
	if v.IsNull() || v.IsUnknown() {
		return
	}
	if _, err := jsonobject.Parse(v.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, titlePropertiesInvalid, propertiesFault(err))
	}
}

// propertiesFault returns what is wrong with a text and how to fix it. It does not quote the text.
func propertiesFault(err error) string {
	const encode = "Write the object in Terraform's own syntax, and encode it: properties = jsonencode({ ... })."

	var fault *jsonobject.Error
	if !errors.As(err, &fault) {
		return "The text is not a JSON object. " + encode
	}
	// The message says "of the text" because users would look for the position in the configuration.
	at := fmt.Sprintf("The text is not a usable JSON object. Line %d, column %d of the text "+
		"(which is not shown, since it may be confidential): %s. ", fault.Line, fault.Column, fault.Kind)
	switch fault.Kind {
	case jsonobject.KindNotJSON:
		return "The text is not JSON, and properties must be a JSON object. " + encode
	case jsonobject.KindNull:
		return "The text is a JSON null, and properties must be a JSON object. To leave the properties of the group alone, " +
			"omit the argument or set it to null rather than to jsonencode(null). To empty them: properties = jsonencode({})."
	case jsonobject.KindArray:
		return "The text begins like a JSON array, but properties must be a JSON object: properties = jsonencode({ ... })."
	case jsonobject.KindScalar:
		return "The text is a JSON string, number or boolean, and properties must be a JSON object: " +
			"properties = jsonencode({ ... }). Text that is already JSON, such as the content of a file, " +
			"must not be passed to jsonencode again."
	case jsonobject.KindByteOrderMark:
		return "The text begins with a byte order mark, which is not allowed in JSON. Save the file that the text comes " +
			"from as UTF-8 without a byte order mark."
	case jsonobject.KindDuplicateKey:
		return at + "JSON does not define which of the two values counts; remove one of them."
	case jsonobject.KindNumber:
		return at + "Write such a number as a string."
	default:
		return at + "Look for a missing comma, quote or bracket, for text after the object, " +
			`for bytes that are not UTF-8 and for half a surrogate pair (\ud83d without \ude00). ` + encode
	}
}
