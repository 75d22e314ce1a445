package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The model is read and written here rather than by the framework's reflection, which compiles a regular expression for
// each field each time. A test holds the two together.

// modelField is an attribute and where its value is in the model.
type modelField struct {
	name string
	typ  attr.Type
	// get and put are the two directions; put is given a value of typ.
	get func() attr.Value
	put func(attr.Value) bool
}

func field[V attr.Value](name string, typ attr.Type, in *V) modelField {
	return modelField{name, typ, func() attr.Value { return *in }, func(value attr.Value) (ok bool) {
		*in, ok = value.(V)
		return ok
	}}
}

var mapOfStrings = types.MapType{ElemType: types.StringType}

func (m *userGroupModel) fields() []modelField {
	return []modelField{
		field("user_group_id", types.StringType, &m.UserGroupID),
		field("name", types.StringType, &m.Name),
		field("mapping", mapOfStrings, &m.Mapping),
		field("properties", propertiesType{}, &m.Properties),
		field("data_source_provided_id", types.StringType, &m.DataSourceProvidedID),
		field("rotate_token_when_changed", mapOfStrings, &m.RotateTokenWhenChanged),
		field("adopt_existing", types.BoolType, &m.AdoptExisting),
		field("deletion_protection", types.BoolType, &m.DeletionProtection),
		field("store_token", types.BoolType, &m.StoreToken),
		field("id", types.StringType, &m.ID),
		field("token", types.StringType, &m.Token),
		field("token_fingerprint", types.StringType, &m.TokenFingerprint),
		field("team_id", types.Int64Type, &m.TeamID),
		field("api_environment_tag", types.StringType, &m.APIEnvironmentTag),
	}
}

// read takes the model from a plan or a state.
func (m *userGroupModel) read(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) {
	values := map[string]tftypes.Value{}
	if err := raw.As(&values); err != nil {
		addConversionError(diags, "the group", err)
		return
	}
	for _, field := range m.fields() {
		value, err := field.typ.ValueFromTerraform(ctx, values[field.name])
		if err == nil && !field.put(value) {
			err = fmt.Errorf("it became %T", value)
		}
		if err != nil {
			addConversionError(diags, field.name, err)
		}
	}
}

// write puts the model into a plan or a state. What is there before, null included, has the type of the schema.
func (m *userGroupModel) write(ctx context.Context, raw *tftypes.Value, diags *diag.Diagnostics) {
	values := map[string]tftypes.Value{}
	for _, field := range m.fields() {
		value, err := field.get().ToTerraformValue(ctx)
		if err != nil {
			addConversionError(diags, field.name, err)
			return
		}
		values[field.name] = value
	}
	if err := tftypes.ValidateValue(raw.Type(), values); err != nil {
		addConversionError(diags, "the group", err)
		return
	}
	*raw = tftypes.NewValue(raw.Type(), values)
}

func addConversionError(diags *diag.Diagnostics, what string, err error) {
	diags.AddError(titleInternal, "The value of "+what+" could not be converted: "+err.Error()+". Please report it with the steps that lead here.")
}
