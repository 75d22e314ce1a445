package api

import (
	"context"
	"encoding/json"
	"net/http"
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
	Properties Properties `json:"properties,omitzero"`
	// NameIfRequired is sent in place of a Name that is nil, but only to a service that refuses the call without a name.
	// Empty means that no name may be sent.
	NameIfRequired string `json:"-"`
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
	// Once forbids retries of a deletion.
	Once bool
}

// UserGroup contains the fields of a group in a response (interface section 2.2). A field that is missing, null or of
// a type without an obvious meaning is nil or zero, and says nothing about the group.
type UserGroup struct {
	// TeamID is the service's internal ID of the group, or empty. It is a number in the contract, and any text in practice.
	TeamID string
	// Token is the user group token.
	Token Secret
	// Name may merely echo the request.
	Name *string
	// ProvidedID is the group's user_group_id. It may merely echo the request.
	ProvidedID *string
	// Properties may merely echo the request.
	Properties Properties
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
}

// GetOrCreate returns the group with the given ID, and creates it if it does not exist (interface section 4.1). It
// is retried after a lost response. The error of each of the four calls is an *Error.
func (c *Client) GetOrCreate(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{method: http.MethodGet, repeatable: true, needsToken: true, needsNew: true}.about(group))
}

// Update changes a group (interface section 4.2). It is retried after a lost response.
func (c *Client) Update(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{method: http.MethodPut, repeatable: true}.about(group))
}

// Rotate replaces the token of the group that has the given one (interface section 4.3). It is never retried after a
// lost response.
func (c *Client) Rotate(ctx context.Context, group TokenRequest) (Answer, error) {
	return c.do(ctx, call{
		method: http.MethodPost, id: group.UserGroupID, needsToken: true, secret: group.CurrentToken,
		body: encode(struct {
			CurrentToken string `json:"current_token"`
		}{group.CurrentToken.Reveal()}),
	})
}

// Delete deletes a group (interface section 4.4). It is retried after a lost response, so a refusal with
// Error.AfterLostAttempt set may mean that an earlier attempt deleted the group.
func (c *Client) Delete(ctx context.Context, group TokenRequest) error {
	_, err := c.do(ctx, call{
		method: http.MethodDelete, id: group.UserGroupID, repeatable: !group.Once, secret: group.CurrentToken,
		body: encode(struct {
			CurrentToken         string `json:"current_token,omitzero"`
			UserGroupID          string `json:"user_group_id,omitzero"`
			DataSourceProvidedID string `json:"data_source_provided_id,omitzero"`
		}{group.CurrentToken.Reveal(), group.UserGroupID, group.DataSourceProvidedID}),
	})
	return err
}

// about completes a call with what it sends about a group.
func (c call) about(group GroupRequest) call {
	c.id, c.body = group.UserGroupID, encode(group)
	if group.Name == nil && group.NameIfRequired != "" {
		group.Name = &group.NameIfRequired
		c.named = encode(group)
	}
	return c
}

func encode(body any) []byte {
	text, _ := json.Marshal(body) // cannot fail with the types of this file
	return text
}
