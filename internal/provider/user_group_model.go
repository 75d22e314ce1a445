package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// Descriptions of attributes that several schemas have.
const (
	describeFingerprint = "The first 12 hexadecimal digits of the token's SHA-256 hash. The fingerprint is not " +
		"secret, and changes whenever the token does. Use it to trigger restarts, or as a `*_wo_version` argument " +
		"of another resource; `parseint(…, 16)` converts it to the number that most such arguments require."
	describeKeyRights   = "The API key must be allowed to create and delete groups. " + describeCheckRights
	describeCheckRights = "If the provider's `environment` is set, the key must also be allowed to update groups. The " +
		"[check of the " +
		"service](https://github.com/dashembed/terraform-provider-embed/blob/main/docs/guides/how-it-talks-to-the-api.md" +
		"#the-check-of-the-service) may add calls to each plan, apply or query, usually at most five."
	describeTeamID = "The service's own number for the group. A different number under the same ID means that the " +
		"group was deleted and recreated, or that the API key belongs to another environment."
	describeShownName       = "Name of the group. Null if the service does not show the name."
	describeShownProperties = "Properties of the group as a JSON object, for `jsondecode`. Null if the service does " +
		"not show the properties."
)

// userGroupModel is the resource in configuration, plan and state. Only this file converts between the values of the
// service and Terraform's.
type userGroupModel struct {
	UserGroupID            types.String    `tfsdk:"user_group_id"`
	Name                   types.String    `tfsdk:"name"`
	Mapping                types.Map       `tfsdk:"mapping"`
	Properties             propertiesValue `tfsdk:"properties"`
	DataSourceProvidedID   types.String    `tfsdk:"data_source_provided_id"`
	RotateTokenWhenChanged types.Map       `tfsdk:"rotate_token_when_changed"`
	RotateTokenAfterDays   types.Number    `tfsdk:"rotate_token_after_days"`
	AdoptExisting          types.Bool      `tfsdk:"adopt_existing"`
	DeletionProtection     types.Bool      `tfsdk:"deletion_protection"`
	StoreToken             types.Bool      `tfsdk:"store_token"`
	ID                     types.String    `tfsdk:"id"`
	Token                  types.String    `tfsdk:"token"`
	TokenFingerprint       types.String    `tfsdk:"token_fingerprint"`
	TokenRotatedAt         types.String    `tfsdk:"token_rotated_at"`
	TeamID                 types.Int64     `tfsdk:"team_id"`
	APIEnvironmentTag      types.String    `tfsdk:"api_environment_tag"`
}

// newUserGroupModel returns the model of a group that a lookup found and that no configuration manages.
func newUserGroupModel(id types.String, storeToken types.Bool, found usergroup.Found) userGroupModel {
	group := userGroupModel{
		UserGroupID:            id,
		StoreToken:             storeToken,
		Mapping:                types.MapNull(types.StringType),
		RotateTokenWhenChanged: types.MapNull(types.StringType),
	}
	group.refreshFrom(found, true)
	return group
}

// storesToken reports whether store_token is true or not set.
func (m *userGroupModel) storesToken() bool {
	return m.StoreToken.IsNull() || m.StoreToken.ValueBool()
}

// wanted returns the request that creates or updates the group. It leaves out attributes that are null, since they
// are not managed.
func (m *userGroupModel) wanted(ctx context.Context, diags *diag.Diagnostics) api.GroupRequest {
	var mapping map[string]string
	diags.Append(m.Mapping.ElementsAs(ctx, &mapping, false)...)
	properties, err := propertiesObject(m.Properties)
	if err != nil {
		diags.AddAttributeError(path.Root("properties"), titlePropertiesInvalid, propertiesFault(err))
	}
	return api.GroupRequest{
		UserGroupID: m.UserGroupID.ValueString(),
		Name:        m.Name.ValueStringPointer(),
		Mapping:     mapping,
		Properties:  properties,
	}
}

// withoutIgnored returns a copy of the plan without the attributes that ignore_changes covers, so that they are not
// sent. At apply, only these differ between configuration and plan.
func (m userGroupModel) withoutIgnored(config *userGroupModel) *userGroupModel {
	m.forgetChanged(config, &m)
	return &m
}

// forgetChanged sets each attribute that an update sends to null if it differs between the two models.
func (m *userGroupModel) forgetChanged(before, after *userGroupModel) {
	if !after.Name.Equal(before.Name) {
		m.Name = types.StringNull()
	}
	if !after.Mapping.Equal(before.Mapping) {
		m.Mapping = types.MapNull(types.StringType)
	}
	if !after.Properties.sameJSON(before.Properties) {
		m.Properties = propertiesValue{}
	}
}

func propertiesObject(value propertiesValue) (jsonobject.Object, error) {
	if value.IsNull() || value.IsUnknown() {
		return jsonobject.Object{}, nil
	}
	return jsonobject.Parse(value.ValueString())
}

// known returns what the state and the private state record about the group.
func (m *userGroupModel) known(remembered memory, now time.Time) usergroup.Known {
	rotatedAt, _ := m.rotatedAt() // If it is unknown, all rotations were long ago.
	return usergroup.Known{
		ID:             m.UserGroupID.ValueString(),
		Name:           m.Name.ValueString(),
		TeamID:         m.TeamID.ValueInt64Pointer(),
		Token:          api.NewSecret(m.Token.ValueString()),
		Fingerprint:    m.TokenFingerprint.ValueString(),
		EnvironmentTag: m.APIEnvironmentTag.ValueStringPointer(),
		Retired:        remembered.Retired,
		SinceRotation:  now.Sub(rotatedAt),
		TakenOver:      remembered.TakenOver,
		TakenOverEmpty: remembered.TakenOverEmpty,
		Instance:       remembered.Instance,
	}
}

// setComputed sets the ID and copies team, token and environment from a response. A value that is missing from the
// response does not change, or becomes null if it was unknown.
func (m *userGroupModel) setComputed(response api.UserGroup) {
	m.ID = m.UserGroupID
	if response.TeamID != nil || m.TeamID.IsUnknown() {
		m.TeamID = types.Int64PointerValue(response.TeamID)
	}
	if response.EnvironmentTag != nil || m.APIEnvironmentTag.IsUnknown() {
		m.APIEnvironmentTag = types.StringPointerValue(response.EnvironmentTag)
	}
	switch {
	case !response.Token.IsZero():
		m.Token = types.StringValue(response.Token.Reveal())
		m.TokenFingerprint = types.StringValue(response.Token.Fingerprint())
	case m.TokenFingerprint.IsUnknown():
		m.Token, m.TokenFingerprint = types.StringNull(), types.StringNull()
	}
	if !m.storesToken() {
		m.Token = types.StringNull()
	}
}

// refreshFrom copies the managed attributes from the response to a lookup, so that the plan shows drift. Attributes
// that are not managed stay null. Right after an import, the configuration is not known, so all attributes in the
// response are copied.
func (m *userGroupModel) refreshFrom(found usergroup.Found, imported bool) {
	if found.Replaced {
		// This is another group under the same ID. What its response does not contain becomes null, so that the next
		// plan sends it.
		m.Mapping = types.MapNull(types.StringType)
		m.APIEnvironmentTag = types.StringNull()
		m.Name = types.StringNull()
		if !m.Properties.IsNull() && found.Properties.IsZero() {
			m.Properties = propertiesValue{}
		}
	}
	if imported && !found.Properties.IsZero() {
		m.Properties = propertiesSeen(found.Properties)
	}
	m.showDrift(found.UserGroup)
	m.setComputed(found.UserGroup)
}

// showDrift copies the managed attributes that a response contains. The others do not change.
func (m *userGroupModel) showDrift(response api.UserGroup) {
	if response.Name != nil {
		m.Name = types.StringValue(*response.Name)
	}
	if !response.Properties.IsZero() && !m.Properties.IsNull() {
		m.Properties = propertiesSeen(response.Properties)
	}
}

// keepComputed copies the computed attributes from the state, which replaces those that the plan left unknown.
func (m *userGroupModel) keepComputed(state *userGroupModel) {
	m.ID, m.TeamID, m.APIEnvironmentTag = state.ID, state.TeamID, state.APIEnvironmentTag
	m.TokenFingerprint, m.TokenRotatedAt = state.TokenFingerprint, state.TokenRotatedAt
	m.Token = plannedToken(m, state.Token)
}

// setUpdated changes a planned group to its state after an update. response is nil unless the group is
// known to have been updated.
func (m *userGroupModel) setUpdated(response *api.UserGroup, err error, state *userGroupModel) {
	if response == nil {
		m.setNotUpdated(err, state)
		return
	}
	computed := *response
	// The plan promised the token in the state. If the token has changed, the next refresh records the new one.
	computed.Token = api.Secret{}
	m.setComputed(computed)
	if err != nil {
		m.showDrift(*response)
	}
}

// setNotUpdated changes a planned group to its state after an update that has failed. If the service may have carried
// it out nevertheless, what it was to change is unknown and becomes null, so that the next plan sends it even if the
// change is undone: a refresh does not see a mapping and, with some services, neither a name nor properties.
func (m *userGroupModel) setNotUpdated(err error, state *userGroupModel) {
	planned := *m
	m.Name, m.Mapping, m.Properties = state.Name, state.Mapping, state.Properties
	if problem := problemOf(err); problem != nil && problem.Done != usergroup.No {
		m.forgetChanged(state, &planned)
	}
}

// setRotated changes a planned group to its state after a rotation. response is nil unless the token is known to have
// been rotated.
func (m *userGroupModel) setRotated(response *api.UserGroup, state *userGroupModel, now time.Time) {
	if response == nil {
		m.RotateTokenWhenChanged = state.RotateTokenWhenChanged
		return
	}
	m.setComputed(*response)
	m.TokenRotatedAt = instant(now)
}

// tokenDiffers reports whether a response has a different token than the state. It compares fingerprints, since the
// state may not contain the token.
func (m *userGroupModel) tokenDiffers(response api.Secret) bool {
	return !response.IsZero() && !m.TokenFingerprint.IsNull() && response.Fingerprint() != m.TokenFingerprint.ValueString()
}

// propertiesSeen returns the properties of a response as jsonencode would write them, so that generated configuration
// contains jsonencode({ … }) and its plan is empty.
func propertiesSeen(object jsonobject.Object) propertiesValue {
	return propertiesValue{StringValue: types.StringValue(object.Canonical())}
}

// needsUpdate reports whether a managed attribute differs from the state, so that a PUT is due.
func (m *userGroupModel) needsUpdate(state *userGroupModel) bool {
	return !m.Name.Equal(state.Name) ||
		!m.Mapping.IsNull() && !m.Mapping.Equal(state.Mapping) ||
		!m.Properties.IsNull() && !m.Properties.sameJSON(state.Properties)
}

// needsRotationByTrigger reports whether a trigger makes a rotation due or, if values are unknown, may make it due. It
// does if the value of an existing key has changed. Adding or removing a key or the whole map does not, so that import
// and adoption never rotate.
func (m *userGroupModel) needsRotationByTrigger(state *userGroupModel) bool {
	before := state.RotateTokenWhenChanged.Elements()
	if m.RotateTokenWhenChanged.IsUnknown() {
		return len(before) > 0
	}
	now := m.RotateTokenWhenChanged.Elements()
	for key, value := range before {
		if changed, stillThere := now[key]; stillThere && !changed.Equal(value) {
			return true
		}
	}
	return false
}
