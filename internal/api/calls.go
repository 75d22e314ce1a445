package api

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"net/http"

	"golang.org/x/text/unicode/norm"
)

// GroupRequest is the body of a get-or-create or an update (interface section 2.1). A field that is nil or zero is not
// sent. An empty map and an empty object are.
type GroupRequest struct {
	UserGroupID string            `json:"user_group_id"` // the caller's own identifier of the group
	Name        *string           `json:"name,omitzero"`
	Mapping     map[string]string `json:"mapping,omitzero"`
	Properties  Properties        `json:"properties,omitzero"`
	// KnownToken is the group's token, if the caller knows it. It is never sent. It is masked wherever the service
	// repeats it.
	KnownToken Secret `json:"-"`
}

// TokenRequest is the body of a rotation or a deletion (interface sections 4.3, 4.4). A deletion omits empty fields. A
// rotation sends only the token.
type TokenRequest struct {
	CurrentToken         Secret // the token that the group is believed to have
	UserGroupID          string
	DataSourceProvidedID string // the caller's own ID of a data source, which may identify the group's data source
}

// UserGroup contains the fields of a group in a response (interface section 2.2). A field that is missing, null or of
// a type without an obvious meaning is nil or zero, and says nothing about the group. Name, ProvidedID and Properties
// may merely echo the request.
type UserGroup struct {
	TeamID         string // the service's internal ID of the group: a number in the contract, any text in practice
	Token          Secret // the user group token
	Name           *string
	ProvidedID     *string // the group's user_group_id
	Properties     Properties
	EnvironmentTag *string // returned by update and rotate only
}

// Answer is what a response contains. With an Incomplete error, it is what could be read. With any other error, it
// contains nothing of the response.
type Answer struct {
	UserGroup UserGroup
	// New reports whether this call created the group. It is nil if the response does not say so. Only get-or-create
	// sets it.
	New *bool
	// Earlier says whether an earlier attempt of this call has done the work, so that this response may show its result.
	// A group that "exists" may have been created a moment ago by this very call.
	Earlier Done
}

// IsNew reports whether the response says that this call has created the group.
func (a Answer) IsNew() bool { return a.New != nil && *a.New }

// Calls makes the calls of one operation, which share its retries. They must not be concurrent.
type Calls struct {
	client   *Client
	retries  *retries
	cleansUp bool
}

// Begin returns the calls of an operation, with MaxRetries retries.
func (c *Client) Begin() Calls { return Calls{client: c, retries: &retries{left: c.config.MaxRetries}} }

// CleaningUp returns calls that share the retries of c. They are made even if the run has been stopped, because
// stopping halfway would leave something behind at the service. Only retries that have to wait are not.
func (c Calls) CleaningUp() Calls {
	c.cleansUp = true
	return c
}

// CleansUp reports whether the calls are made even if the run has been stopped.
func (c Calls) CleansUp() bool { return c.cleansUp }

// Once returns calls of the same operation that are not repeated.
func (c Calls) Once() Calls {
	c.retries = &retries{}
	return c
}

// GetOrCreate returns the group with the given ID, and creates it if it does not exist (interface section 4.1). It
// is retried after a lost response.
func (c Calls) GetOrCreate(ctx context.Context, group GroupRequest) (Answer, *Error) {
	return c.do(ctx, call{
		method: http.MethodGet, id: group.UserGroupID, body: encode(group), secrets: group.secrets,
		repeatable: true, needsToken: true, needsNew: true,
	})
}

// Update changes a group (interface section 4.2). It is retried after a lost response.
func (c Calls) Update(ctx context.Context, group GroupRequest) (Answer, *Error) {
	return c.do(ctx, call{
		method: http.MethodPut, id: group.UserGroupID, body: encode(group), secrets: group.secrets, repeatable: true,
	})
}

// Rotate replaces the token of the group that has the given one (interface section 4.3). It is never retried after a
// lost response.
func (c Calls) Rotate(ctx context.Context, group TokenRequest) (Answer, *Error) {
	return c.do(ctx, call{
		method: http.MethodPost, id: group.UserGroupID, needsToken: true, secrets: group.secrets,
		body: encode(struct {
			CurrentToken string `json:"current_token"`
		}{group.CurrentToken.Reveal()}),
	})
}

// Delete deletes a group (interface section 4.4). It is retried after a lost response, so a refusal whose Done is not
// No may mean that an earlier attempt deleted the group.
func (c Calls) Delete(ctx context.Context, group TokenRequest) *Error {
	_, failure := c.do(ctx, call{
		method: http.MethodDelete, id: group.UserGroupID, repeatable: true, secrets: group.secrets,
		body: encode(struct {
			CurrentToken         string `json:"current_token,omitzero"`
			UserGroupID          string `json:"user_group_id,omitzero"`
			DataSourceProvidedID string `json:"data_source_provided_id,omitzero"`
		}{group.CurrentToken.Reveal(), group.UserGroupID, group.DataSourceProvidedID}),
	})
	return failure
}

func encode(body any) []byte {
	text, _ := json.Marshal(body) // cannot fail with the types of this file
	return text
}

// Differences lists where a response contradicts the request: the name, and top-level keys of the properties.
type Differences struct {
	Name       bool
	Properties []string
}

// Any reports whether there is a difference.
func (d Differences) Any() bool { return d.Name || len(d.Properties) > 0 }

// Differences compares a request with the response. A field that either of them lacks is not a difference.
func (r GroupRequest) Differences(response UserGroup) (d Differences) {
	d.Name = r.Name != nil && response.Name != nil && *response.Name != *r.Name
	if !r.Properties.IsZero() && !response.Properties.IsZero() {
		d.Properties = r.Properties.Differences(response.Properties)
	}
	return d
}

// ShownBy reports whether a response shows every field of the request that a response to a lookup can show, and shows
// the same. It is false for a request without any such field.
func (r GroupRequest) ShownBy(response UserGroup) bool {
	if r.Name == nil && r.Properties.IsZero() || r.Differences(response).Any() {
		return false
	}
	showsName := r.Name == nil || response.Name != nil
	showsProperties := r.Properties.IsZero() || !response.Properties.IsZero()
	return showsName && showsProperties
}

// SameName reports whether a response spells a name only differently: with HTML entities, or in another Unicode form.
// No configuration can contain what such a service shows, because Terraform composes all text itself (NFC). Therefore,
// another form is not another name. Only norm knows all forms.
func SameName(sent, shown string) bool {
	respelled := func(name string) string { return norm.NFC.String(html.UnescapeString(name)) }
	return respelled(sent) == respelled(shown)
}

// Over returns g with the fields that it lacks taken from an earlier response, except for ProvidedID.
func (g UserGroup) Over(earlier UserGroup) UserGroup {
	g.TeamID = cmp.Or(g.TeamID, earlier.TeamID)
	g.Token = cmp.Or(g.Token, earlier.Token)
	g.Name = cmp.Or(g.Name, earlier.Name)
	g.EnvironmentTag = cmp.Or(g.EnvironmentTag, earlier.EnvironmentTag)
	if g.Properties.IsZero() {
		g.Properties = earlier.Properties
	}
	return g
}

// ShowsMore reports whether g shows a name or a property that an earlier response did not show. Services fill in both,
// so what a group shows decides nothing.
func (g UserGroup) ShowsMore(earlier UserGroup) bool {
	before, now := cmp.Or(earlier.Name, new("")), cmp.Or(g.Name, new(""))
	isNamed := *now != "" && *now != *before
	return isNamed || g.Properties.Beyond(earlier.Properties)
}
