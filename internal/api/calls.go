package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// GroupRequest is the body of a get-or-create or an update (interface section 2.1).
type GroupRequest struct {
	// UserGroupID is the caller's own identifier of the group.
	UserGroupID string `json:"user_group_id"`
	// Name is not sent if it is nil.
	Name *string `json:"name,omitzero"`
	// Mapping is not sent if it is nil. An empty map is sent.
	Mapping map[string]string `json:"mapping,omitzero"`
	// Properties are not sent if they are zero. An empty object is sent. Values are sent as they are written.
	Properties jsonobject.Object `json:"properties,omitzero"`
}

// TokenRequest is the body of a rotation or a deletion (interface sections 4.3, 4.4). A deletion omits empty fields.
type TokenRequest struct {
	// CurrentToken is the token that the group is believed to have.
	CurrentToken Secret
	// UserGroupID is the caller's own identifier of the group. A rotation only logs it.
	UserGroupID string
	// DataSourceProvidedID is the caller's own ID of a data source, which may identify the group's data source. Only a
	// deletion sends it.
	DataSourceProvidedID string
}

// UserGroup contains the fields of a group in a response (interface section 2.2). A field that is missing or null in
// the response is nil or zero, and says nothing about the group.
type UserGroup struct {
	// TeamID is the service's internal ID of the group.
	TeamID *int64
	// Token is the user group token.
	Token Secret
	// Name may merely echo the request.
	Name *string
	// ProvidedID is the group's user_group_id. It may merely echo the request.
	ProvidedID *string
	// Properties may merely echo the request.
	Properties jsonobject.Object
	// EnvironmentTag is returned by update and rotate only.
	EnvironmentTag *string
}

// Answer is what a response contains. With an Incomplete error, it is what could be read. With any other error, it
// contains nothing of the response.
type Answer struct {
	UserGroup UserGroup
	// New reports whether this call created the group. It is nil if the response does not say so. Only get-or-create
	// sets it.
	New *bool
	// AfterLostAttempt reports that an earlier attempt of this call may have done the work, so that this response may
	// show its result. A group that "exists" may have been created a moment ago by this very call.
	AfterLostAttempt bool
	// Sent is when the first attempt was sent. It is zero if none was.
	Sent time.Time
}

// GetOrCreate returns the group with the given ID, and creates it if it does not exist (interface section 4.1). It
// is retried after a lost response. The error of each of the four calls is an *Error.
func (c *Client) GetOrCreate(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{
		method: http.MethodGet, id: group.UserGroupID, repeatable: true, decode: decodeGetOrCreate,
	}, group)
}

// Update changes a group (interface section 4.2). It is retried after a lost response.
func (c *Client) Update(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{method: http.MethodPut, id: group.UserGroupID, repeatable: true, decode: decodeGroup}, group)
}

// Rotate replaces the token of the group that has the given one (interface section 4.3). It is never retried after a
// lost response.
func (c *Client) Rotate(ctx context.Context, group TokenRequest) (Answer, error) {
	body := struct {
		CurrentToken string `json:"current_token"`
	}{group.CurrentToken.Reveal()}
	return c.do(ctx, call{
		method: http.MethodPost, id: group.UserGroupID, decode: decodeGroupWithToken, secret: group.CurrentToken,
	}, body)
}

// Delete deletes a group (interface section 4.4). It is retried after a lost response, so a refusal with
// Error.AfterLostAttempt set may mean that an earlier attempt deleted the group.
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
