package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// modelMap makes a map value; nil is null, and values are texts, nil or protocolUnknown.
func modelMap(elements map[string]any) types.Map {
	if elements == nil {
		return types.MapNull(types.StringType)
	}
	values := make(map[string]attr.Value, len(elements))
	for key, value := range elements {
		values[key] = modelText(value)
	}
	return types.MapValueMust(types.StringType, values)
}

func modelText(value any) types.String {
	switch value {
	case nil:
		return types.StringNull()
	case protocolUnknown:
		return types.StringUnknown()
	}
	return types.StringValue(value.(string))
}

func modelObject(t *testing.T, text string) jsonobject.Object {
	t.Helper()
	object, err := jsonobject.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// modelState is a group as the state has it after an update.
func modelState() userGroupModel {
	model := newUserGroupModel(types.StringValue("acme"), types.BoolNull())
	model.ID = model.UserGroupID
	model.Name = types.StringValue("Acme")
	model.Mapping = modelMap(map[string]any{"sales": "db-1"})
	model.Properties = propertiesText(`{"a":1}`)
	model.RotateTokenWhenChanged = modelMap(map[string]any{"quarter": "Q1"})
	model.Token = types.StringValue("token-1")
	model.TokenFingerprint = types.StringValue(fingerprint("token-1"))
	model.TeamID = types.Int64Value(1001)
	model.APIEnvironmentTag = types.StringValue("Customer")
	return model
}

func TestNeedsUpdate(t *testing.T) {
	t.Parallel()
	unknownMap := types.MapUnknown(types.StringType)
	tests := map[string]struct {
		change func(plan, state *userGroupModel)
		want   bool
	}{
		"nothing":         {func(_, _ *userGroupModel) {}, false},
		"name":            {func(plan, _ *userGroupModel) { plan.Name = types.StringValue("B") }, true},
		"name unknown":    {func(plan, _ *userGroupModel) { plan.Name = types.StringUnknown() }, true},
		"name not told":   {func(_, state *userGroupModel) { state.Name = types.StringNull() }, true},
		"mapping":         {func(plan, _ *userGroupModel) { plan.Mapping = modelMap(map[string]any{"sales": "db-2"}) }, true},
		"mapping emptied": {func(plan, _ *userGroupModel) { plan.Mapping = modelMap(map[string]any{}) }, true},
		"mapping empty and not managed": {func(plan, state *userGroupModel) {
			plan.Mapping, state.Mapping = modelMap(map[string]any{}), modelMap(nil)
		}, true},
		"mapping no longer managed":    {func(plan, _ *userGroupModel) { plan.Mapping = modelMap(nil) }, false},
		"mapping newly managed":        {func(_, state *userGroupModel) { state.Mapping = modelMap(nil) }, true},
		"mapping unknown":              {func(plan, _ *userGroupModel) { plan.Mapping = unknownMap }, true},
		"mapping partly unknown":       {func(plan, _ *userGroupModel) { plan.Mapping = modelMap(map[string]any{"sales": protocolUnknown}) }, true},
		"properties":                   {func(plan, _ *userGroupModel) { plan.Properties = propertiesText(`{"a":2}`) }, true},
		"properties written otherwise": {func(plan, _ *userGroupModel) { plan.Properties = propertiesText(` {"a": 1.0}`) }, false},
		"properties emptied":           {func(plan, _ *userGroupModel) { plan.Properties = propertiesText(`{}`) }, true},
		"properties no longer managed": {func(plan, _ *userGroupModel) { plan.Properties = propertiesValue{} }, false},
		"properties newly managed":     {func(_, state *userGroupModel) { state.Properties = propertiesValue{} }, true},
		"properties unknown":           {func(plan, _ *userGroupModel) { plan.Properties = propertiesValue{types.StringUnknown()} }, true},
		"flags and what rotates": {func(plan, _ *userGroupModel) {
			plan.AdoptExisting, plan.DeletionProtection, plan.StoreToken = types.BoolValue(true), types.BoolUnknown(), types.BoolValue(false)
			plan.DataSourceProvidedID, plan.RotateTokenWhenChanged = types.StringValue("x"), modelMap(nil)
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, state := modelState(), modelState()
			test.change(&plan, &state)
			if got := plan.needsUpdate(&state); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

func TestNeedsRotation(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	unknown := types.MapUnknown(types.StringType)
	tests := map[string]struct {
		before, now types.Map
		want        bool
	}{
		"never any":                 {modelMap(nil), modelMap(nil), false},
		"the same":                  {modelMap(m{"a": "1"}), modelMap(m{"a": "1"}), false},
		"new map":                   {modelMap(nil), modelMap(m{"a": "1"}), false},
		"new map in an empty one":   {modelMap(m{}), modelMap(m{"a": "1"}), false},
		"dropped map":               {modelMap(m{"a": "1"}), modelMap(nil), false},
		"emptied map":               {modelMap(m{"a": "1"}), modelMap(m{}), false},
		"changed value":             {modelMap(m{"a": "1"}), modelMap(m{"a": "2"}), true},
		"new key":                   {modelMap(m{"a": "1"}), modelMap(m{"a": "1", "b": "1"}), false},
		"dropped key":               {modelMap(m{"a": "1", "b": "1"}), modelMap(m{"a": "1"}), false},
		"renamed key":               {modelMap(m{"a": "1"}), modelMap(m{"b": "1"}), false},
		"new and changed":           {modelMap(m{"a": "1"}), modelMap(m{"a": "2", "b": "1"}), true},
		"dropped and changed":       {modelMap(m{"a": "1", "b": "1"}), modelMap(m{"b": "2"}), true},
		"null to value":             {modelMap(m{"a": nil}), modelMap(m{"a": "1"}), true},
		"value to null":             {modelMap(m{"a": "1"}), modelMap(m{"a": nil}), true},
		"null to empty":             {modelMap(m{"a": nil}), modelMap(m{"a": ""}), true},
		"null stays":                {modelMap(m{"a": nil}), modelMap(m{"a": nil}), false},
		"value unknown":             {modelMap(m{"a": "1"}), modelMap(m{"a": protocolUnknown}), true},
		"new value unknown":         {modelMap(m{"a": "1"}), modelMap(m{"a": "1", "b": protocolUnknown}), false},
		"map unknown":               {modelMap(m{"a": "1"}), unknown, true},
		"map unknown, none before":  {modelMap(nil), unknown, false},
		"map unknown, empty before": {modelMap(m{}), unknown, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, state := modelState(), modelState()
			plan.RotateTokenWhenChanged, state.RotateTokenWhenChanged = test.now, test.before
			if got := plan.needsRotation(&state); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

func TestRefreshFrom(t *testing.T) {
	t.Parallel()
	name, team := "Renamed", int64(2002)
	properties := modelObject(t, ` {"b":1.0, "a":null}`)
	full := usergroup.Found{UserGroup: api.UserGroup{Name: &name, Properties: properties, TeamID: &team, Token: api.NewSecret("token-2")}}
	replaced := usergroup.Found{UserGroup: api.UserGroup{TeamID: &team, Token: api.NewSecret("token-2")}, Replaced: true}
	replacedFull := full
	replacedFull.Replaced = true
	unmanaged := modelState()
	unmanaged.Properties, unmanaged.Mapping = propertiesValue{}, modelMap(nil)
	tests := map[string]struct {
		model      userGroupModel
		found      usergroup.Found
		imported   bool
		name       types.String
		properties propertiesValue
		mapping    types.Map
		tag        types.String
	}{
		"drift":                  {modelState(), full, false, modelText(name), propertiesText(`{"a":null,"b":1}`), modelState().Mapping, modelText("Customer")},
		"silence":                {modelState(), usergroup.Found{}, false, modelText("Acme"), propertiesText(`{"a":1}`), modelState().Mapping, modelText("Customer")},
		"not managed":            {unmanaged, full, false, modelText(name), propertiesValue{}, modelMap(nil), modelText("Customer")},
		"imported":               {newUserGroupModel(modelText("acme"), types.BoolNull()), full, true, modelText(name), propertiesText(`{"a":null,"b":1}`), modelMap(nil), modelText(nil)},
		"imported, silent":       {newUserGroupModel(modelText("acme"), types.BoolNull()), usergroup.Found{}, true, modelText(nil), propertiesValue{}, modelMap(nil), modelText(nil)},
		"replaced":               {modelState(), replaced, false, modelText(nil), propertiesValue{}, modelMap(nil), modelText(nil)},
		"replaced, told":         {modelState(), replacedFull, false, modelText(name), propertiesText(`{"a":null,"b":1}`), modelMap(nil), modelText(nil)},
		"replaced, not managed":  {unmanaged, replacedFull, false, modelText(name), propertiesValue{}, modelMap(nil), modelText(nil)},
		"replaced, silent again": {unmanaged, replaced, false, modelText(nil), propertiesValue{}, modelMap(nil), modelText(nil)},
	}
	for what, test := range tests {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			model := test.model
			model.refreshFrom(test.found, test.imported)
			for what, pair := range map[string][2]attr.Value{
				"name": {model.Name, test.name}, "properties": {model.Properties, test.properties},
				"mapping": {model.Mapping, test.mapping}, "api_environment_tag": {model.APIEnvironmentTag, test.tag},
			} {
				if !pair[0].Equal(pair[1]) {
					t.Errorf("%s is %s, want %s", what, pair[0], pair[1])
				}
			}
			if !model.RotateTokenWhenChanged.Equal(test.model.RotateTokenWhenChanged) || !model.StoreToken.Equal(test.model.StoreToken) {
				t.Error("what the service knows nothing of has changed")
			}
		})
	}
}
