package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// managedField is an attribute that requests send. Null means that it is not managed, and not sent. Empty is sent.
type managedField struct {
	name string
	// isRequired reports whether a configuration always has the attribute, so that a refresh reads it even if the state
	// has none: a response has not shown it yet, or it is not known whether the service has taken it.
	isRequired bool
	isHidden   bool // no response shows the field
	of         func(*userGroupModel) attr.Value
	set        func(*userGroupModel, attr.Value)
	// null and empty are the values that mean not managed, and managed without content.
	null, empty attr.Value
	// equal reports whether sending the second value in place of the first one changes nothing.
	equal func(a, b attr.Value) bool
	// send puts a value into a request, which leaves out null.
	send func(context.Context, attr.Value, *api.GroupRequest) diag.Diagnostics
	// shown returns what a response shows, or the known value if the response has none, or only writes it differently.
	shown func(known attr.Value, response api.UserGroup) attr.Value
}

// managedFields are all of them. What is in here is sent when it changes, left out when a change is ignored, compared
// with what a response shows, and forgotten when it is not known whether the service has taken it.
var managedFields = []managedField{
	managed("name", func(m *userGroupModel) *types.String { return &m.Name }, fieldOf[types.String]{
		isRequired: true, empty: types.StringValue(""),
		equal: func(a, b types.String) bool { return a.Equal(b) },
		send: func(_ context.Context, name types.String, request *api.GroupRequest) diag.Diagnostics {
			request.Name = name.ValueStringPointer()
			return nil
		},
		shown: func(known types.String, response api.UserGroup) types.String {
			if response.Name == nil || api.SameText(known.ValueString(), *response.Name) {
				return known
			}
			return types.StringValue(*response.Name)
		},
	}),
	managed("mapping", func(m *userGroupModel) *types.Map { return &m.Mapping }, fieldOf[types.Map]{
		isHidden: true, null: types.MapNull(types.StringType),
		empty: types.MapValueMust(types.StringType, map[string]attr.Value{}),
		equal: func(a, b types.Map) bool { return a.Equal(b) },
		send: func(ctx context.Context, mapping types.Map, request *api.GroupRequest) diag.Diagnostics {
			return mapping.ElementsAs(ctx, &request.Mapping, false)
		},
		shown: func(known types.Map, _ api.UserGroup) types.Map { return known },
	}),
	managed("properties", func(m *userGroupModel) *propertiesValue { return &m.Properties }, fieldOf[propertiesValue]{
		empty: propertiesValue{types.StringValue("{}")},
		equal: propertiesValue.sameJSON,
		send: func(_ context.Context, value propertiesValue, request *api.GroupRequest) diag.Diagnostics {
			request.Properties = value.object() // The framework validates each value that it reads.
			return nil
		},
		shown: func(known propertiesValue, response api.UserGroup) propertiesValue {
			if response.Properties.IsZero() || known.isShownBy(response.Properties) {
				return known
			}
			return propertiesSeen(response.Properties)
		},
	}),
}

// fieldOf has the parts of a managedField for a type.
type fieldOf[T attr.Value] struct {
	isRequired  bool
	isHidden    bool
	null, empty T
	equal       func(a, b T) bool
	send        func(context.Context, T, *api.GroupRequest) diag.Diagnostics
	shown       func(known T, response api.UserGroup) T
}

//nolint:forcetypeassert // All values of a field have its type.
func managed[T attr.Value](name string, at func(*userGroupModel) *T, field fieldOf[T]) managedField {
	return managedField{
		name: name, isRequired: field.isRequired, isHidden: field.isHidden, null: field.null, empty: field.empty,
		of:    func(m *userGroupModel) attr.Value { return *at(m) },
		set:   func(m *userGroupModel, value attr.Value) { *at(m) = value.(T) },
		equal: func(a, b attr.Value) bool { return field.equal(a.(T), b.(T)) },
		send: func(ctx context.Context, value attr.Value, request *api.GroupRequest) diag.Diagnostics {
			return field.send(ctx, value.(T), request)
		},
		shown: func(known attr.Value, response api.UserGroup) attr.Value { return field.shown(known.(T), response) },
	}
}

// wanted returns the request that creates or updates the group. It leaves out fields that are null.
func (m *userGroupModel) wanted(ctx context.Context, diags *diag.Diagnostics) api.GroupRequest {
	request := api.GroupRequest{UserGroupID: m.UserGroupID.ValueString()}
	for _, f := range managedFields {
		diags.Append(f.send(ctx, f.of(m), &request)...)
	}
	return request
}

// needsUpdate reports whether a managed field differs from the state, so that a PUT is due.
func (m *userGroupModel) needsUpdate(state *userGroupModel) bool {
	return slices.ContainsFunc(managedFields, func(f managedField) bool {
		planned := f.of(m)
		return !planned.IsNull() && !f.equal(planned, f.of(state))
	})
}

// change returns what an apply of the plan changes at the service.
func (m *userGroupModel) change(
	ctx context.Context, config, state *userGroupModel, diags *diag.Diagnostics,
) (change usergroup.Change) {
	change.Rotates = m.TokenFingerprint.IsUnknown()
	if m.needsUpdate(state) {
		change.Update = new(m.withoutIgnored(config, state).wanted(ctx, diags))
	}
	return change
}

// withoutIgnored returns a copy of the plan without the fields that are not to be sent. At apply, configuration and
// plan differ only in what ignore_changes covers, in whole or in part. Such a field is sent if the plan changes it.
func (m userGroupModel) withoutIgnored(config, state *userGroupModel) *userGroupModel {
	for _, f := range managedFields {
		planned := f.of(&m)
		isIgnored := !f.equal(planned, f.of(config))
		if isIgnored && f.equal(planned, f.of(state)) {
			f.set(&m, f.null)
		}
	}
	return &m
}

// keepNotation plans the text in the state for a field that is only written differently. The framework does not apply
// the semantic equality of a type to plans. Without this, sorting the keys of a file would plan an update.
func (m *userGroupModel) keepNotation(state *userGroupModel) {
	for _, f := range managedFields {
		if before := f.of(state); f.equal(f.of(m), before) {
			f.set(m, before)
		}
	}
}

// show copies what a response shows of the managed fields or, with all, of the others, too. Otherwise they stay null.
func (m *userGroupModel) show(response api.UserGroup, all bool) {
	for _, f := range managedFields {
		if known := f.of(m); all || f.isRequired || !known.IsNull() {
			f.set(m, f.shown(known, response))
		}
	}
}

// forgetUnseen forgets the fields that no response shows, so that the next plan sends them.
func (m *userGroupModel) forgetUnseen() {
	for _, f := range managedFields {
		if f.isHidden {
			f.set(m, f.null)
		}
	}
}

// setNotUpdated changes a planned group to its state after an update that has failed. If the service may have carried
// it out nevertheless, what it was to change is unknown and becomes null, so that the next plan sends it even if the
// change is undone: a refresh does not see a mapping and, with some services, neither a name nor properties.
func (m *userGroupModel) setNotUpdated(err error, state *userGroupModel) {
	isKnown := !mayHaveBeenDone(err)
	for _, f := range managedFields {
		planned, before := f.of(m), f.of(state)
		if isKnown || f.equal(planned, before) {
			f.set(m, before)
		} else {
			f.set(m, f.null)
		}
	}
}

// unseenEffects returns what updating an imported group does that its plan cannot show.
func (m *userGroupModel) unseenEffects(state *userGroupModel) (said []string) {
	for _, f := range managedFields {
		planned, before := f.of(m), f.of(state)
		isManaged, hadNone := !planned.IsNull(), before.IsNull() || f.equal(before, f.empty)
		switch {
		case isManaged && f.isHidden && !f.equal(planned, before):
			said = append(said, fmt.Sprintf("The service does not show the %[1]s of a group. The plan looks as if the group "+
				"had no %[1]s, but the update replaces whatever %[1]s the group has.", f.name))
		case !isManaged && !hadNone:
			said = append(said, fmt.Sprintf("The plan shows %q as removed. It is not sent, because the configuration does not "+
				"manage it. The group keeps it, unless the service clears what an update does not send.", f.name))
		}
	}
	return said
}
