package provider

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// idsType is the type of a set of IDs. The framework compares each element of a set of its own type with every other
// one, several times, which takes minutes for 5,000 IDs. With this type, it takes seconds.
type idsType struct{ basetypes.SetType }

// idsValue is a value of idsType.
type idsValue struct{ basetypes.SetValue }

var (
	_ basetypes.SetTypable                    = idsType{}
	_ basetypes.SetValuableWithSemanticEquals = idsValue{}
	_ xattr.ValidateableAttribute             = idsValue{}
)

func newIDsType() idsType { return idsType{basetypes.SetType{ElemType: types.StringType}} }

// Equal implements attr.Type.
func (t idsType) Equal(other attr.Type) bool {
	_, ok := other.(idsType)
	return ok
}

// String implements attr.Type.
func (t idsType) String() string { return "idsType" }

// ValueType implements attr.Type.
func (t idsType) ValueType(context.Context) attr.Value { return idsValue{} }

// ValueFromSet implements basetypes.SetTypable.
func (t idsType) ValueFromSet(
	_ context.Context, value basetypes.SetValue,
) (basetypes.SetValuable, diag.Diagnostics) {
	return idsValue{value}, nil
}

// ValueFromTerraform implements attr.Type.
func (t idsType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.SetType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	set, ok := value.(basetypes.SetValue)
	if !ok {
		return nil, fmt.Errorf("a set became %T", value)
	}
	return idsValue{set}, nil
}

// Type implements attr.Value.
func (v idsValue) Type(context.Context) attr.Type { return newIDsType() }

// Equal implements attr.Value.
func (v idsValue) Equal(other attr.Value) bool {
	ids, ok := other.(idsValue)
	return ok && v.IsNull() == ids.IsNull() && v.IsUnknown() == ids.IsUnknown() && maps.Equal(v.elements(), ids.elements())
}

func (v idsValue) elements() map[attr.Value]bool {
	elements := make(map[attr.Value]bool, len(v.Elements()))
	for _, id := range v.Elements() {
		elements[id] = true
	}
	return elements
}

// SetSemanticEquals implements basetypes.SetValuableWithSemanticEquals.
func (v idsValue) SetSemanticEquals(_ context.Context, other basetypes.SetValuable) (bool, diag.Diagnostics) {
	return v.Equal(other), nil
}

// ValidateAttribute implements xattr.ValidateableAttribute. Engines send no duplicates, which is what the framework
// would check.
func (v idsValue) ValidateAttribute(
	context.Context, xattr.ValidateAttributeRequest, *xattr.ValidateAttributeResponse,
) {
}
