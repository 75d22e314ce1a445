package usergroup

import (
	"cmp"
	"context"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// op is one operation on one group. What it knows exists once, so that no copy can go stale. All of its calls share one
// count of retries.
type op struct {
	*Service

	operation Operation
	calls     api.Calls
	lock      *groupLock       // held by the operation; nil in the preflight
	know      Prior            // the group, as the state and all responses have shown it
	sent      api.GroupRequest // what is wanted of the group
	response  api.UserGroup    // what the last response has shown of it
	tokens    []api.Secret     // the known one, and all that responses have shown
	done      api.Done         // whether the operation was carried out, over all calls
	left      []string         // the IDs of groups that it has created for lookups, and that may remain
	named     []string         // those that an earlier problem of the operation has named
	lost      bool             // an attempt of a lookup got no response, so the service may carry it out later
}

func (s *Service) begin(operation Operation, prior Prior) *op {
	o := &op{Service: s, know: prior, tokens: []api.Secret{prior.Token}}
	o.become(operation)
	return o
}

// become begins to carry out an operation, with retries of its own, and with all that is known already.
func (o *op) become(operation Operation) {
	o.operation, o.done = operation, api.No
	o.calls = o.client.Begin(o.confidential).While(func() bool { return o.run.isPatient(operation) })
}

// shows records what a response shows.
func (o *op) shows(group api.UserGroup) {
	o.response, o.tokens = group, append(o.tokens, group.Token)
}

// confidential returns what no message may show of the group, whichever call the service repeats it after.
func (o *op) confidential() api.Confidential {
	known := api.Confidential{
		Secrets: o.tokens, Fingerprints: []string{o.know.Fingerprint, o.know.Previous},
		Shown: []string{o.know.ID, o.know.Name},
	}
	if o.know.Stored != nil {
		known = known.And(o.know.Stored().Confidential())
	}
	return known.And(o.sent.Confidential())
}

// acquire waits for a place in the channel. It returns a problem if the run is stopped before.
func (o *op) acquire(ctx context.Context, place chan struct{}) *Problem {
	if ctx.Err() == nil { // The select would pick one of two ready cases at random.
		select {
		case place <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return o.problem(CallFailed, api.NewStopped("", ctx.Err()))
}

// problem returns a problem of this operation. call is the error that it comes from, or nil.
func (o *op) problem(finding Finding, call *api.Error) *Problem {
	return &Problem{
		Finding: finding, Operation: o.operation, ID: o.know.ID, Done: o.done,
		Left: o.unnamedLeft(), Call: call, Prior: o.know, Expected: o.settings.Environment, Sent: o.sent,
		Response: o.response,
	}
}

// because returns a problem of this operation with the finding of its cause.
func (o *op) because(cause *Problem) *Problem {
	p := o.problem(cause.Finding, cause.Call)
	p.Cause, p.Response = cause, cause.Response
	return p
}

// mayRemain reports whether a lookup may have created the group with the ID of the operation.
func (o *op) mayRemain() bool { return slices.Contains(o.left, o.know.ID) }

// unnamedLeft returns the IDs of groups that may remain, and that no problem has named yet.
func (o *op) unnamedLeft() []string {
	return slices.DeleteFunc(slices.Clone(o.left), func(id string) bool { return slices.Contains(o.named, id) })
}

// leave records that groups may remain, and removed that the group with the ID of the operation does not.
func (o *op) leave(ids ...string) {
	o.left = append(o.left, ids...)
	slices.Sort(o.left)
	o.left = slices.Compact(o.left)
}

func (o *op) removed() {
	o.left = slices.DeleteFunc(o.left, func(id string) bool { return id == o.know.ID })
}

// LookupFields has the fields that Settings.LookupFields can name, and puts what a lookup sends of them into a request:
// the name that the group is known to have, or else its ID, and empty objects.
var LookupFields = map[string]func(Prior, *api.GroupRequest){
	"name":       func(known Prior, r *api.GroupRequest) { r.Name = new(cmp.Or(known.Name, known.ID)) },
	"mapping":    func(_ Prior, r *api.GroupRequest) { r.Mapping = map[string]string{} },
	"properties": func(_ Prior, r *api.GroupRequest) { r.Properties, _ = api.ParseProperties("{}") },
}

// unnamed returns the warnings of an operation that has succeeded. If none of them names the groups that may remain,
// one more does. The group of the result may be one of them.
func (o *op) unnamed(result Result) []*Problem {
	left := o.unnamedLeft()
	isNamed := slices.ContainsFunc(result.Warnings, func(p *Problem) bool { return len(p.Left) > 0 })
	if len(left) == 0 || isNamed {
		return result.Warnings
	}
	problem := o.problem(MayBePlaceholder, nil)
	if result.Group == nil || !o.mayRemain() {
		problem.Finding, problem.ID = LeftBehind, left[0]
	}
	return append(result.Warnings, problem)
}

// lookup returns the request that looks the group up: its ID, and what the service demands.
func (o *op) lookup() api.GroupRequest { return o.request(o.settings.LookupFields) }

func (o *op) request(fields []string) api.GroupRequest {
	request := api.GroupRequest{UserGroupID: o.know.ID}
	for _, field := range fields {
		LookupFields[field](o.know, &request)
	}
	return request
}

// deletion returns the request that deletes the group with the given token.
func (o *op) deletion(token api.Secret) api.TokenRequest {
	return api.TokenRequest{
		CurrentToken: token, UserGroupID: o.know.ID,
		DataSourceProvidedID: cmp.Or(o.know.DataSourceProvidedID, o.settings.DataSourceProvidedID),
	}
}
