package provider

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
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
	RotateTokenAfterDays   types.Float64   `tfsdk:"rotate_token_after_days"`
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
func newUserGroupModel(id types.String, storeToken types.Bool, found api.UserGroup) userGroupModel {
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
func (m *userGroupModel) storesToken() bool { return m.StoreToken.IsNull() || m.StoreToken.ValueBool() }

// teamID returns the team_id in the state as a text, or an empty text if there is none.
func (m *userGroupModel) teamID() string {
	if m.TeamID.IsNull() {
		return ""
	}
	return strconv.FormatInt(m.TeamID.ValueInt64(), 10)
}

// prior returns what the state and the private state record about the group.
func (m *userGroupModel) prior(stored private, now time.Time) usergroup.Prior {
	state := *m
	rotatedAt, _ := m.rotatedAt(now) // If it is unknown, all rotations were long ago.
	return usergroup.Prior{
		ID:                   m.UserGroupID.ValueString(),
		Name:                 m.Name.ValueString(),
		TeamID:               cmp.Or(stored.TeamID, m.teamID()),
		Token:                api.NewSecret(m.Token.ValueString()),
		Fingerprint:          m.TokenFingerprint.ValueString(),
		Stored:               func() api.GroupRequest { return state.wanted(context.Background(), &diag.Diagnostics{}) },
		EnvironmentTag:       m.APIEnvironmentTag.ValueStringPointer(),
		Environment:          stored.Environment,
		DataSourceProvidedID: m.DataSourceProvidedID.ValueString(),
		Previous:             stored.Previous,
		RotatedAt:            rotatedAt,
		Instance:             stored.Instance,
	}
}

// setComputed sets the ID and copies team, token and environment from a response. A value that is missing from the
// response does not change, or becomes null if it was unknown. Only a creation has an unknown token, and it ends in an
// error unless it learns the token.
func (m *userGroupModel) setComputed(response api.UserGroup) {
	m.ID = m.UserGroupID
	if number, err := strconv.ParseInt(response.TeamID, 10, 64); err == nil {
		m.TeamID = types.Int64Value(number)
	} else if m.TeamID.IsUnknown() {
		m.TeamID = types.Int64Null()
	}
	if response.EnvironmentTag != nil || m.APIEnvironmentTag.IsUnknown() {
		m.APIEnvironmentTag = types.StringPointerValue(response.EnvironmentTag)
	}
	if !response.Token.IsZero() {
		m.Token = types.StringValue(response.Token.Reveal())
		m.TokenFingerprint = types.StringValue(response.Token.Fingerprint())
	}
	if !m.storesToken() {
		m.Token = types.StringNull()
	}
}

// refreshFrom copies the managed attributes from the response to a lookup, so that the plan shows drift. Attributes
// that are not managed stay null. Right after an import, the configuration is not known, so all attributes in the
// response are copied.
func (m *userGroupModel) refreshFrom(found api.UserGroup, imported bool) {
	m.show(found, imported)
	m.setComputed(found)
}

// keepComputed copies the computed attributes from the state, which replaces those that the plan left unknown.
func (m *userGroupModel) keepComputed(state *userGroupModel) {
	m.ID, m.TeamID, m.APIEnvironmentTag = state.ID, state.TeamID, state.APIEnvironmentTag
	m.TokenFingerprint, m.TokenRotatedAt = state.TokenFingerprint, state.TokenRotatedAt
	m.Token = plannedToken(m, state.Token)
}

// mayHaveBeenDone reports whether an operation that has failed may have been carried out nevertheless.
func mayHaveBeenDone(err error) bool {
	problem := problemOf(err)
	return problem != nil && problem.Done != api.No
}

// setUpdated changes a planned group to its state after an update. response is nil unless the group is known to have
// been updated.
func (m *userGroupModel) setUpdated(response *api.UserGroup, err error, state *userGroupModel) {
	if response == nil {
		m.setNotUpdated(err, state)
		return
	}
	computed := m.unpromised(*response)
	computed.Token = api.Secret{} // The plan promised the one in the state, too.
	m.setComputed(computed)
	if err != nil {
		m.show(*response, false)
	}
}

// setRotated changes a planned group to its state after a rotation. response is nil unless the token is known to have
// been rotated.
func (m *userGroupModel) setRotated(response *api.UserGroup, state *userGroupModel, now time.Time) {
	if response == nil {
		m.RotateTokenWhenChanged = state.RotateTokenWhenChanged
		return
	}
	m.setComputed(m.unpromised(*response))
	m.TokenRotatedAt = instant(now)
}

// unpromised returns the response to an update or a rotation without the number of the group, if the plan promised the
// one in the state. If the number has changed, the next refresh records the new one.
func (m *userGroupModel) unpromised(response api.UserGroup) api.UserGroup {
	if !m.TeamID.IsNull() {
		response.TeamID = ""
	}
	return response
}

// tokenDiffers reports whether a response has a different token than the state. It compares fingerprints, since the
// state may not contain the token.
func (m *userGroupModel) tokenDiffers(response api.Secret) bool {
	known, shown := m.TokenFingerprint.ValueString(), response.Fingerprint()
	return !response.IsZero() && cmp.Or(known, shown) != shown // One that is unknown is no other one.
}

// propertiesSeen returns the properties of a response as jsonencode would write them, so that generated configuration
// contains jsonencode({ … }) and its plan is empty.
func propertiesSeen(object api.Properties) propertiesValue {
	return propertiesValue{StringValue: types.StringValue(object.Text())}
}

// instant returns token_rotated_at for a token that was created, rotated or first seen at the given time.
func instant(at time.Time) types.String { return types.StringValue(at.UTC().Format(time.RFC3339)) }

// rotatedAt returns the time in token_rotated_at. known is false if the age of the token is unknown, as it is with a
// time that lies ahead by more than what clocks differ.
func (m *userGroupModel) rotatedAt(now time.Time) (at time.Time, known bool) {
	at, err := time.Parse(time.RFC3339, m.TokenRotatedAt.ValueString())
	return at, err == nil && at.Before(now.AddDate(0, 0, 1))
}

// isOlderThan reports whether the token is known to be older than the number of days, in whole seconds.
func (m *userGroupModel) isOlderThan(days types.Float64, now time.Time) bool {
	at, known := m.rotatedAt(now)
	if !known || days.IsNull() {
		return false
	}
	const day = 24 * time.Hour
	return now.Truncate(time.Second).After(at.Add(time.Duration(days.ValueFloat64() * float64(day))))
}
