package usergroup

import (
	"cmp"
	"context"
	"slices"
	"strings"

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
	managed   bool             // the state has the group
	isRandom  bool             // nobody else can know the ID
	sent      api.GroupRequest // what is wanted of the group
	response  api.UserGroup    // what the last response has shown of it
	done      api.Done         // whether the operation was carried out, over all calls
	left      []string         // the IDs of groups that it has created for lookups, and that may remain
	lost      bool             // a lookup got no response, so that the service may carry it out later
}

func (s *Service) begin(operation Operation, prior Prior) *op {
	o := &op{Service: s, operation: operation, know: prior, managed: prior.isKnown()}
	o.calls = s.client.Begin(o.confidential).While(func() bool { return s.run.isPatient(operation) })
	return o
}

// confidential returns what no message may show of the group, whichever call the service repeats it after.
func (o *op) confidential() api.Confidential {
	known := api.Confidential{
		Secrets: []api.Secret{o.know.Token}, Fingerprints: []string{o.know.Fingerprint, o.know.Previous},
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
		Finding: finding, Operation: o.operation, ID: o.know.ID, Managed: o.managed, Done: o.done,
		Left: slices.Clone(o.left), Call: call, Prior: o.know, Expected: o.settings.Environment, Sent: o.sent,
		Response: o.response, SendsDataSource: o.deletion(api.Secret{}).DataSourceProvidedID != "",
	}
}

// because returns a problem of this operation with the finding of its cause.
func (o *op) because(cause *Problem) *Problem {
	p := o.problem(cause.Finding, cause.Call)
	p.Cause, p.Response = cause, cause.Response
	return p
}

// sighting is what a lookup has shown.
type sighting struct {
	shows   sight
	group   api.UserGroup
	created api.Done   // whether the lookup has created a group
	failure *api.Error // of the call, or nil
}

// see returns what the response to a lookup shows, apart from what the lookup has sent. It records a group that the
// lookup may have created.
func (o *op) see(answer api.Answer, failure *api.Error) sighting {
	seen := sighting{group: answer.UserGroup.WithoutEcho(o.lookup()), failure: failure, created: answer.Earlier}
	if failure != nil {
		seen.created = failure.Done
	}
	o.lost = o.lost || seen.created == api.Maybe
	if answer.IsNew() {
		seen.created = api.Yes
	}
	seen.shows = o.know.classify(answer, failure)
	if o.isForeign(seen.group) {
		seen.shows = foreign
		if !o.showsID(seen.group) { // It says nothing about what the request may have created.
			seen.created = api.Maybe
		}
	}
	if seen.created != api.No {
		o.leave(o.remaining(seen.group))
	}
	if seen.shows != cached && o.know.isExactly(seen.group) {
		o.removed()
	}
	o.response = seen.group
	return seen
}

// isForeign reports whether a response is about a group with another ID. The known token shows that it is not. The
// known team_id shows that only of an ID in another case, because a service may show one number for all groups.
func (o *op) isForeign(group api.UserGroup) bool {
	isRespelled := o.showsID(group) && o.know.hasTeam(group)
	return o.know.hasOtherID(group) && !isRespelled && !o.know.hasToken(group)
}

// remaining returns the ID of the group that a lookup may have created. The service may have changed its case.
func (o *op) remaining(shown api.UserGroup) string {
	if o.showsID(shown) {
		return *shown.ProvidedID
	}
	return o.know.ID
}

// isOwn reports whether an ID is that of the operation. The service may have changed its case.
func (o *op) isOwn(id string) bool { return strings.EqualFold(id, o.know.ID) }

// mayRemain reports whether a lookup may have created the group with the ID of the operation.
func (o *op) mayRemain() bool { return slices.ContainsFunc(o.left, o.isOwn) }

// leave records that groups may remain, and removed that the group with the ID of the operation does not.
func (o *op) leave(ids ...string) {
	for _, id := range ids {
		if !slices.ContainsFunc(o.left, func(named string) bool { return strings.EqualFold(named, id) }) {
			o.left = append(o.left, id)
		}
	}
}

func (o *op) removed() {
	o.left = slices.DeleteFunc(o.left, o.isOwn)
}

// LookupFields has the fields that Settings.LookupFields can name, and puts what a lookup sends of them into a request:
// the name that the group is known to have, or else its ID, and empty objects.
var LookupFields = map[string]func(Prior, *api.GroupRequest){
	"name":       func(known Prior, r *api.GroupRequest) { r.Name = new(cmp.Or(known.Name, known.ID)) },
	"mapping":    func(_ Prior, r *api.GroupRequest) { r.Mapping = map[string]string{} },
	"properties": func(_ Prior, r *api.GroupRequest) { r.Properties, _ = api.ParseProperties("{}") },
}

// unnamed returns a warning about groups that may remain after an operation has succeeded, unless another one names
// them.
func (o *op) unnamed(warnings []*Problem) []*Problem {
	areNamed := slices.ContainsFunc(warnings, func(p *Problem) bool { return len(p.Left) > 0 })
	if len(o.left) == 0 || areNamed {
		return warnings
	}
	problem := o.problem(LeftBehind, nil)
	problem.ID = o.left[0]
	return append(warnings, problem)
}

// lookup returns the request that looks the group up: its ID, and what the service demands.
func (o *op) lookup() api.GroupRequest {
	request := api.GroupRequest{UserGroupID: o.know.ID}
	for _, field := range o.settings.LookupFields {
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
