package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// describeUserGroupID describes the argument in every schema that has it.
const describeUserGroupID = "Your own identifier for the group, unique within the environment of the API key. " +
	"It must have at least one character, no invisible characters, and no spaces at the beginning or end."

const titleUserGroupIDInvalid = "Invalid user_group_id"

// checkUserGroupID returns an error for an ID that is most likely a mistake. A lookup creates a group for any ID, so
// an ID with a trailing space or an invisible character would create another customer.
func checkUserGroupID(id string) error {
	if id == "" {
		return errors.New("must not be empty")
	}
	for _, r := range id {
		// The only white space that IsPrint accepts is the ASCII space.
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return fmt.Errorf("must not contain the invisible character %U", r)
		}
	}
	if strings.TrimSpace(id) != id {
		return errors.New("must not begin or end with a space")
	}
	return nil
}

// userGroupIDValidator applies checkUserGroupID to an attribute.
type userGroupIDValidator struct{}

func (userGroupIDValidator) Description(context.Context) string {
	return "at least one character, without invisible characters or surrounding spaces"
}

func (v userGroupIDValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (userGroupIDValidator) ValidateString(
	_ context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := checkUserGroupID(req.ConfigValue.ValueString()); err != nil {
		detail := "user_group_id " + err.Error() + ". No call was made."
		resp.Diagnostics.AddAttributeError(req.Path, titleUserGroupIDInvalid, detail)
	}
}

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
