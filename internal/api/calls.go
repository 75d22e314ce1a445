package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// GroupRequest is the body of a get-or-create and of an update (interface section 2.1). What is unset is not sent.
type GroupRequest struct {
	// UserGroupID is the caller's own identifier of the group.
	UserGroupID string `json:"user_group_id"`
	// Name is not sent when nil.
	Name *string `json:"name,omitempty"`
	// Mapping is not sent when nil; an empty one is.
	Mapping map[string]string `json:"mapping,omitzero"`
	// Properties are not sent when zero; an empty object is. They go out as they stand.
	Properties jsonobject.Object `json:"properties,omitzero"`
}

// DeleteRequest is the body of a delete (interface section 4.4). What is unset is not sent.
type DeleteRequest struct {
	// CurrentToken is the token that the group is believed to have.
	CurrentToken Secret
	// UserGroupID is the caller's own identifier of the group.
	UserGroupID string
	// DataSourceProvidedID is the caller's id of a data source that may identify the group's data source.
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

// Answer is a successful call's result.
type Answer struct {
	UserGroup UserGroup
	// Created says that this call made a new user group; get-or-create only.
	Created bool
	// Lost says that an earlier attempt of this call had an unknown outcome, so that this answer may show that
	// attempt's work: a group that "exists" may have been made a moment ago by this very call.
	Lost bool

	existed bool
}

// GetOrCreate returns the group of the given id and makes it when there is none (interface section 4.1). It is repeated
// after a lost answer. All four calls fail with an *Error.
func (c *Client) GetOrCreate(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{method: http.MethodGet, repeatable: true, decode: decodeGetOrCreate}, group)
}

// Update changes a group (interface section 4.2). It is repeated after a lost answer.
func (c *Client) Update(ctx context.Context, group GroupRequest) (Answer, error) {
	return c.do(ctx, call{method: http.MethodPut, repeatable: true, decode: decodeUserGroup}, group)
}

// Rotate replaces the token of the group that has the given one (interface section 4.3). It is never repeated after a
// lost answer.
func (c *Client) Rotate(ctx context.Context, currentToken Secret) (Answer, error) {
	body := struct {
		CurrentToken string `json:"current_token"`
	}{currentToken.Reveal()}
	return c.do(ctx, call{method: http.MethodPost, decode: decodeWithToken, secrets: []Secret{currentToken}}, body)
}

// Delete removes a group (interface section 4.4). It is repeated after a lost answer, so that a refusal with
// Error.Lost set may mean that the first attempt did it.
func (c *Client) Delete(ctx context.Context, group DeleteRequest) error {
	body := struct {
		CurrentToken         string `json:"current_token,omitempty"`
		UserGroupID          string `json:"user_group_id,omitempty"`
		DataSourceProvidedID string `json:"data_source_provided_id,omitempty"`
	}{group.CurrentToken.Reveal(), group.UserGroupID, group.DataSourceProvidedID}
	_, err := c.do(ctx, call{method: http.MethodDelete, repeatable: true, decode: decodeNothing, secrets: []Secret{group.CurrentToken}}, body)
	return err
}

func encode(body any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	// Escaping is the only change Go would make to properties that are to go out as they stand.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}
