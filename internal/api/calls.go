package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// GroupRequest is the body of a get-or-create and of an update (interface section 2.1). What is unset is not sent.
type GroupRequest struct {
	// UserGroupID is the caller's own identifier of the group.
	UserGroupID string `json:"user_group_id"`
	// Name is not sent when nil.
	Name *string `json:"name,omitzero"`
	// Mapping is not sent when nil; an empty one is.
	Mapping map[string]string `json:"mapping,omitzero"`
	// Properties are not sent when zero; an empty object is. They go out as they stand.
	Properties jsonobject.Object `json:"properties,omitzero"`
}

// TokenRequest is the body of a rotation and of a deletion (interface sections 4.3 and 4.4). What is unset is not sent.
type TokenRequest struct {
	// CurrentToken is the token that the group is believed to have.
	CurrentToken Secret
	// UserGroupID is the caller's own identifier of the group. A rotation does not send it, but logs it.
	UserGroupID string
	// DataSourceProvidedID is the caller's id of a data source that may identify the group's data source; deletion
	// only.
	DataSourceProvidedID string
}

// UserGroup is what an answer tells about a group (interface section 2.2). A field that the answer leaves out, or has
// null for, is nil or zero and says nothing.
type UserGroup struct {
	// TeamID is the service's own number of the group.
	TeamID *int64
	// Token is the user group token.
	Token Secret
	// Name may merely echo the request.
	Name *string
	// ProvidedID is the group's user_group_id, and may merely echo the request.
	ProvidedID *string
	// Properties may merely echo the request.
	Properties jsonobject.Object
	// EnvironmentTag is told by update and rotate only.
	EnvironmentTag *string
}

// Answer is what the service told in reply to a call. With an error it holds as much as could be read.
type Answer struct {
	UserGroup UserGroup
	// New says whether this call has just made the group; nil when the answer does not say. Get-or-create only.
	New *bool
	// Lost says that an earlier attempt of this call had an unknown outcome, so that this answer may show that
	// attempt's work: a group that "exists" may have been made a moment ago by this very call.
	Lost bool
}

// GetOrCreate returns the group with the given ID, and creates it if it does not exist (interface section 4.1). It is
// retried after a lost response. All four calls fail with an *Error.
func (c *Client) GetOrCreate(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{
		method: http.MethodGet, id: group.UserGroupID, repeatable: true, decode: decodeGetOrCreate,
	}, group)
}

// Update changes a group (interface section 4.2). It is repeated after a lost answer.
func (c *Client) Update(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{method: http.MethodPut, id: group.UserGroupID, repeatable: true, decode: decodeGroup}, group)
}

// Rotate replaces the token of the group that has the given one (interface section 4.3). It is never repeated after a
// lost answer.
func (c *Client) Rotate(ctx context.Context, group TokenRequest) (Answer, error) {
	body := struct {
		CurrentToken string `json:"current_token"`
	}{group.CurrentToken.Reveal()}
	return c.do(ctx, call{
		method: http.MethodPost, id: group.UserGroupID, decode: decodeGroupWithToken, secret: group.CurrentToken,
	}, body)
}

// Delete removes a group (interface section 4.4). It is repeated after a lost answer, so that a refusal with
// Error.Lost set may mean that the first attempt did it.
func (c *Client) Delete(ctx context.Context, group TokenRequest) error {
	body := struct {
		CurrentToken         string `json:"current_token,omitzero"`
		UserGroupID          string `json:"user_group_id,omitzero"`
		DataSourceProvidedID string `json:"data_source_provided_id,omitzero"`
	}{group.CurrentToken.Reveal(), group.UserGroupID, group.DataSourceProvidedID}
	_, err := c.do(ctx, call{
		method: http.MethodDelete, id: group.UserGroupID, repeatable: true,
		decode: decodeNothing, secret: group.CurrentToken,
	}, body)
	return err
}

func encode(body any) ([]byte, error) {
	text, err := json.Marshal(body, json.Deterministic(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return text, nil
}
