package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
)

// TokenRequest is the body of a rotation or a deletion (interface sections 4.3, 4.4). A deletion omits empty fields. A
// rotation sends only the token.
type TokenRequest struct {
	CurrentToken         Secret // the token that the group is believed to have
	UserGroupID          string
	DataSourceProvidedID string // the caller's own ID of a data source, which may identify the group's data source
}

// Answer is what a response contains. With an Incomplete or Unmarked error, it is what could be read. With any other
// error, it contains nothing of the response.
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
func (a Answer) IsNew() bool { return *cmp.Or(a.New, new(false)) }

// Calls makes the calls of one operation, which share its retries. They must not be concurrent.
type Calls struct {
	client   *Client
	known    func() Confidential
	retries  *retries
	cleansUp bool
	patient  func() bool // whether a call may wait for a retry, or for a time that the service has named
}

func always() bool { return true }

// Begin returns the calls of an operation, with MaxRetries retries. known returns what is confidential, besides the
// secrets of the client and of each request. It is called only if there is something to mask. Nil means nothing.
func (c *Client) Begin(known func() Confidential) Calls {
	if known == nil {
		known = nothingKnown
	}
	return Calls{client: c, known: known, retries: &retries{left: c.config.MaxRetries}, patient: always}
}

// While returns calls that share the retries of c. They wait for retries only as long as patient says so. Each is still
// made once.
func (c Calls) While(patient func() bool) Calls {
	c.patient = patient
	return c
}

// EvenIfStopped returns calls that share the retries of c. They are made even if the run has been stopped, because
// stopping halfway would leave something unknown. Only retries that have to wait are not, unless a rate limit is the
// reason, and other calls get through.
func (c Calls) EvenIfStopped() Calls {
	c.cleansUp = true
	return c
}

// CleaningUp returns calls that are also made if the run has been stopped, and that are always patient, because giving
// up halfway would leave something behind at the service.
func (c Calls) CleaningUp() Calls { return c.EvenIfStopped().While(always) }

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
		method: http.MethodGet, id: group.UserGroupID, body: encode(group), known: group.Confidential,
		repeatable: true, needsToken: true, needsNew: true,
	})
}

// Update changes a group (interface section 4.2). It is retried after a lost response.
func (c Calls) Update(ctx context.Context, group GroupRequest) (Answer, *Error) {
	return c.do(ctx, call{
		method: http.MethodPut, id: group.UserGroupID, body: encode(group), known: group.Confidential, repeatable: true,
	})
}

// Rotate replaces the token of the group that has the given one (interface section 4.3). It is never retried after a
// lost response.
func (c Calls) Rotate(ctx context.Context, group TokenRequest) (Answer, *Error) {
	return c.do(ctx, call{
		method: http.MethodPost, id: group.UserGroupID, needsToken: true, known: group.confidential,
		body: encode(struct {
			CurrentToken string `json:"current_token"`
		}{group.CurrentToken.Reveal()}),
	})
}

// Delete deletes a group (interface section 4.4). It is retried after a lost response, so a refusal whose Done is not
// No may mean that an earlier attempt deleted the group.
func (c Calls) Delete(ctx context.Context, group TokenRequest) *Error {
	_, failure := c.do(ctx, call{
		method: http.MethodDelete, id: group.UserGroupID, repeatable: true, known: group.confidential,
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
