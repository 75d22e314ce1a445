// Package usergroup implements safe operations on user groups. The service only has a get-or-create call: lookups
// create groups, creating adopts them, and a lost response leaves the outcome open. This package contains everything
// that deals with that. It does not depend on Terraform.
//
// The files are a staircase: create, rotate and delete stand on find and update, these on preflight and breaker, and
// all of them on service and problem. DESIGN.md says what is promised, and under which faults.
package usergroup

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Service implements the safe operations. It is safe for concurrent use. Operations on the same ID run one at a time.
type Service struct {
	client    *api.Client
	settings  Settings
	locks     sync.Map                // ID → *groupLock
	exists    atomic.Pointer[Problem] // the first creation that has met an existing group; it explains all others
	preflight preflight
	breaker   breaker
}

// Settings apply to all groups. The zero value is valid.
type Settings struct {
	// Environment is the tag that every group must have (interface section 2.2). If it is empty, any tag will do.
	Environment string
	// DataSourceProvidedID is sent with the deletion of a group that has none of its own (interface section 4.4).
	DataSourceProvidedID string
	// LookupFields are fields that the service demands in a lookup, apart from the ID: name, mapping and properties.
	LookupFields []string
}

// New returns a Service that uses the client.
func New(client *api.Client, settings Settings) *Service {
	return &Service{
		client: client, settings: settings, preflight: preflight{running: make(chan struct{}, 1)}, breaker: newBreaker(),
	}
}

// Prior is what the state has about a group. A field that is nil, zero or empty is unknown. Only the ID is required.
type Prior struct {
	ID             string
	Name           string
	TeamID         string
	Token          api.Secret
	Fingerprint    string // of the token; known even if the token is not stored
	EnvironmentTag *string
	// DataSourceProvidedID takes the place of the one in Settings.
	DataSourceProvidedID string
	// Previous is the fingerprint of the token that the last rotation replaced, and RotatedAt is when that was.
	Previous  string
	RotatedAt time.Time
	// Instance is the Result.Instance of the creation that brought the group into the state.
	Instance string
}

// isKnown reports whether there is more than an ID, so that the group is known to have existed.
func (k Prior) isKnown() bool { return k.TeamID != "" || k.Fingerprint != "" || !k.Token.IsZero() }

// with returns what is known after a response has shown the group.
func (k Prior) with(group api.UserGroup) Prior {
	k.TeamID = cmp.Or(group.TeamID, k.TeamID)
	if !group.Token.IsZero() {
		k.Token, k.Fingerprint = group.Token, group.Token.Fingerprint()
	}
	return k
}

// hasToken reports whether a response shows the known token, or the one before it.
func (k Prior) hasToken(group api.UserGroup) bool {
	fingerprint := group.Token.Fingerprint()
	return !group.Token.IsZero() && (fingerprint == k.Fingerprint || fingerprint == k.Previous)
}

// hasOtherTeam reports whether a response shows another team_id than the known one.
func (k Prior) hasOtherTeam(group api.UserGroup) bool {
	return k.TeamID != "" && group.TeamID != "" && k.TeamID != group.TeamID
}

// isSame reports whether a response is certainly about the known group. A service may renumber its groups, or change
// their tokens, but not both at once.
func (k Prior) isSame(group api.UserGroup) bool {
	return k.TeamID != "" && k.TeamID == group.TeamID || k.hasToken(group)
}

// isOtherID reports whether a response shows an ID other than the known one.
func (k Prior) isOtherID(group api.UserGroup) bool {
	return group.ProvidedID != nil && *group.ProvidedID != "" && *group.ProvidedID != k.ID
}

// longestLag is how long after a rotation a lookup may still show the previous token, if the service has replicas.
const longestLag = time.Minute

// isStale reports whether a lookup has returned the token from before the last rotation.
func (k Prior) isStale(token api.Secret) bool {
	return !token.IsZero() && token.Fingerprint() == k.Previous && time.Since(k.RotatedAt).Abs() < longestLag
}

// deletion returns the request that deletes a group with the given token.
func (s *Service) deletion(prior Prior, token api.Secret) api.TokenRequest {
	return api.TokenRequest{
		CurrentToken: token, UserGroupID: prior.ID,
		DataSourceProvidedID: cmp.Or(prior.DataSourceProvidedID, s.settings.DataSourceProvidedID),
	}
}

// Result is the outcome of an operation. If an operation returns an error and a Group, the Group shows what the
// operation has done nevertheless.
type Result struct {
	Group    *api.UserGroup
	Instance string // identifies one creation or adoption of a group; see Service.Delete
	Previous string // the fingerprint of the token that a rotation has replaced
	Warnings []*Problem
}

// maxTries is how often an operation repeats a call after a lookup. Another client may change the group at the same
// time, but the operation must end.
const maxTries = 3

// groupLock gives exclusive access to the group with one ID. It is a channel, because waiting for it must end when the
// run is stopped.
type groupLock struct {
	held     chan struct{}
	instance string // the Result.Instance of the last creation or adoption by this process
}

// exclusively runs an operation with exclusive access to its ID and with one count of retries for all its calls.
func (s *Service) exclusively(
	ctx context.Context, p Problem, do func(context.Context, *groupLock) (Result, *Problem),
) (Result, error) {
	value, _ := s.locks.LoadOrStore(p.ID, &groupLock{held: make(chan struct{}, 1)})
	lock, _ := value.(*groupLock)
	select {
	case lock.held <- struct{}{}:
		defer func() { <-lock.held }()
	case <-ctx.Done():
		p.record(api.Stopped("", ctx.Err()))
		return Result{}, p.with(CallFailed)
	}
	ctx, release, ended := s.breaker.begin(ctx, p)
	defer release()
	if ended != nil {
		return Result{}, ended
	}
	started := time.Now()
	result, problem := do(s.client.Begin(ctx), lock)
	if problem == nil {
		return result, nil
	}
	return result, s.breaker.judge(s.client, problem, started)
}
