package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// userGroupModel is the resource as it stands in configuration, plan and state. This file is the only place where the
// service's values become Terraform's, and the other way round.
type userGroupModel struct {
	UserGroupID            types.String    `tfsdk:"user_group_id"`
	Name                   types.String    `tfsdk:"name"`
	Mapping                types.Map       `tfsdk:"mapping"`
	Properties             propertiesValue `tfsdk:"properties"`
	DataSourceProvidedID   types.String    `tfsdk:"data_source_provided_id"`
	RotateTokenWhenChanged types.Map       `tfsdk:"rotate_token_when_changed"`
	AdoptExisting          types.Bool      `tfsdk:"adopt_existing"`
	DeletionProtection     types.Bool      `tfsdk:"deletion_protection"`
	StoreToken             types.Bool      `tfsdk:"store_token"`
	ID                     types.String    `tfsdk:"id"`
	Token                  types.String    `tfsdk:"token"`
	TokenFingerprint       types.String    `tfsdk:"token_fingerprint"`
	TeamID                 types.Int64     `tfsdk:"team_id"`
	APIEnvironmentTag      types.String    `tfsdk:"api_environment_tag"`
}

// newUserGroupModel is a group that was found, and that no configuration manages.
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

// storesToken: an unset store_token means yes.
func (m *userGroupModel) storesToken() bool {
	return m.StoreToken.IsNull() || m.StoreToken.ValueBool()
}

// wanted is what to send; null is "not managed" and stays out.
func (m *userGroupModel) wanted(diags *diag.Diagnostics) api.GroupRequest {
	properties, err := propertiesObject(m.Properties)
	if err != nil {
		diags.AddAttributeError(path.Root("properties"), titlePropertiesInvalid, propertiesFault(err))
	}
	return api.GroupRequest{
		UserGroupID: m.UserGroupID.ValueString(),
		Name:        m.Name.ValueStringPointer(),
		Mapping:     mappingToSend(m.Mapping),
		Properties:  properties,
	}
}

// withoutIgnored returns a plan without what ignore_changes covers, which shows in that configuration and plan differ,
// so that it is not sent.
func (m userGroupModel) withoutIgnored(config *userGroupModel) *userGroupModel {
	if !m.Name.Equal(config.Name) {
		m.Name = types.StringNull()
	}
	if !m.Mapping.Equal(config.Mapping) {
		m.Mapping = types.MapNull(types.StringType)
	}
	if !m.Properties.sameJSON(config.Properties) {
		m.Properties = propertiesValue{}
	}
	return &m
}

func mappingToSend(configured types.Map) map[string]string {
	if configured.IsNull() {
		return nil
	}
	mapping := make(map[string]string, len(configured.Elements()))
	for schemaID, dataSource := range configured.Elements() {
		if text, ok := dataSource.(types.String); ok {
			mapping[schemaID] = text.ValueString()
		}
	}
	return mapping
}

func propertiesObject(value propertiesValue) (jsonobject.Object, error) {
	if value.IsNull() || value.IsUnknown() {
		return jsonobject.Object{}, nil
	}
	return jsonobject.Parse(value.ValueString())
}

// known is what the state, and the memory beside it, know of the group.
func (m *userGroupModel) known(remembered memory) usergroup.Known {
	return usergroup.Known{
		ID:             m.UserGroupID.ValueString(),
		Name:           m.Name.ValueString(),
		TeamID:         m.TeamID.ValueInt64Pointer(),
		Token:          api.NewSecret(m.Token.ValueString()),
		Fingerprint:    m.TokenFingerprint.ValueString(),
		EnvironmentTag: m.APIEnvironmentTag.ValueStringPointer(),
		Retired:        remembered.Retired,
		TakenOver:      remembered.TakenOver,
		Instance:       remembered.Instance,
	}
}

// setComputed takes over what the service computes: team, token and environment. What an answer is silent about stays,
// and nothing stays unknown.
func (m *userGroupModel) setComputed(told api.UserGroup) {
	m.ID = m.UserGroupID
	if told.TeamID != nil || m.TeamID.IsUnknown() {
		m.TeamID = types.Int64PointerValue(told.TeamID)
	}
	if told.EnvironmentTag != nil || m.APIEnvironmentTag.IsUnknown() {
		m.APIEnvironmentTag = types.StringPointerValue(told.EnvironmentTag)
	}
	switch {
	case !told.Token.IsZero():
		m.Token = types.StringValue(told.Token.Reveal())
		m.TokenFingerprint = types.StringValue(told.Token.Fingerprint())
	case m.TokenFingerprint.IsUnknown():
		m.Token, m.TokenFingerprint = types.StringNull(), types.StringNull()
	}
	if !m.storesToken() {
		m.Token = types.StringNull()
	}
}

// refreshFrom takes over what the service shows of the managed attributes, which is how drift becomes visible.
// Attributes that are not managed stay null; right after an import everything is taken, as the configuration is not
// known yet.
func (m *userGroupModel) refreshFrom(found usergroup.Found, imported bool) {
	if found.Replaced {
		// Another group under the same id: what it does not show is unknown, and the next plan sends it.
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

// showDrift takes over managed values that the service tells; what it is silent about stays.
func (m *userGroupModel) showDrift(told api.UserGroup) {
	if told.Name != nil {
		m.Name = types.StringValue(*told.Name)
	}
	if !told.Properties.IsZero() && !m.Properties.IsNull() {
		m.Properties = propertiesSeen(told.Properties)
	}
}

// keepComputed replaces what the plan left open by what the state has.
func (m *userGroupModel) keepComputed(state *userGroupModel) {
	m.ID, m.TeamID, m.APIEnvironmentTag = state.ID, state.TeamID, state.APIEnvironmentTag
	m.Token, m.TokenFingerprint = state.Token, state.TokenFingerprint
	if !m.storesToken() {
		m.Token = types.StringNull()
	}
}

// setUpdated is the planned group after an update that told this, or nothing when it was not done or is not known to
// be.
func (m *userGroupModel) setUpdated(told *api.UserGroup, err error, state *userGroupModel) {
	if told == nil {
		m.Name, m.Mapping, m.Properties = state.Name, state.Mapping, state.Properties
		return
	}
	computed := *told
	// The plan promised the token that the state has; another one comes with the next refresh.
	computed.Token = api.Secret{}
	m.setComputed(computed)
	if err != nil {
		m.showDrift(*told)
	}
}

// setRotated is the planned group after a rotation that told this, or nothing when it was not done or is not known to
// be.
func (m *userGroupModel) setRotated(told *api.UserGroup, state *userGroupModel) {
	if told == nil {
		m.RotateTokenWhenChanged = state.RotateTokenWhenChanged
		return
	}
	m.setComputed(*told)
}

// tokenDiffers also works where the token itself is not stored.
func (m *userGroupModel) tokenDiffers(told api.Secret) bool {
	return !told.IsZero() && !m.TokenFingerprint.IsNull() && told.Fingerprint() != m.TokenFingerprint.ValueString()
}

// propertiesSeen writes what the service has the way jsonencode would, so that generated configuration reads
// jsonencode({ … }) and plans clean.
func propertiesSeen(object jsonobject.Object) propertiesValue {
	return propertiesValue{StringValue: types.StringValue(object.Canonical())}
}

// needsUpdate reports whether a PUT is due: something managed differs.
func (m *userGroupModel) needsUpdate(state *userGroupModel) bool {
	return !m.Name.Equal(state.Name) ||
		!m.Mapping.IsNull() && !m.Mapping.Equal(state.Mapping) ||
		!m.Properties.IsNull() && !m.Properties.sameJSON(state.Properties)
}

// needsRotation reports whether a POST is due, or may be: a value has changed, or is not known yet, of a key that was
// there before. New and dropped keys, and a new or dropped map, do not rotate, so that import and adoption never do.
func (m *userGroupModel) needsRotation(state *userGroupModel) bool {
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
