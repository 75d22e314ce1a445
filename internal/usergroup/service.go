// Package usergroup implements safe operations on user groups. The service only has a get-or-create call: lookups
// create groups, creating adopts them, and a lost response leaves the outcome open. This package contains everything
// that deals with that. It does not depend on Terraform.
//
// Each operation is an op, which has all that the operation knows. The files are a staircase, from the bottom: problem,
// prior (which group is this?), run (what has ended?), service and op; getorcreate, the one call that looks and
// creates; preflight (is the key right?) and placeholder (how is a group of ours removed?); find and token, which every
// change stands on; then create, update, rotate and delete. DESIGN.md says what is promised under which faults, and
// what proves what.
package usergroup

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Service implements the safe operations. It is safe for concurrent use. Operations on the same ID run one at a time.
type Service struct {
	client    *api.Client
	settings  Settings
	locks     sync.Map // ID in lower case → *groupLock
	run       run
	underWay  underWay
	preflight chan struct{} // held by the preflight that is under way
	// tested means that the preflight has ended, with the problem testFailure or nil. Who holds preflight may ask.
	tested      bool
	testFailure *Problem
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
	return &Service{client: client, settings: settings, run: newRun(), preflight: make(chan struct{}, 1)}
}

// Result is the outcome of an operation. If an operation returns an error and a Group, the Group shows what the
// operation has done nevertheless.
type Result struct {
	Group       *api.UserGroup
	Instance    string // identifies one creation or adoption of a group; see Service.Delete
	Previous    string // the fingerprint of the token that a rotation has replaced, or may have
	Environment string // the expected environment, if it is proved that the API key belongs to it
	Warnings    []*Problem
}

// groupLock gives exclusive access to the groups with one ID, in whatever case, because a service may ignore case. It
// is a channel, because waiting for it must end when the run is stopped.
type groupLock struct {
	held    chan struct{}
	made    []Prior // the groups that this process has created or adopted, and not deleted
	deleted string  // the fingerprint of the token of the group that this process has deleted last
}

// isMadeElsewhere reports whether this process has created or adopted the group for another instance of the resource.
func (l *groupLock) isMadeElsewhere(group Prior) bool {
	return slices.ContainsFunc(l.made, func(made Prior) bool {
		return made.Instance != group.Instance && made.isAlso(group)
	})
}

// mayAdopt reports whether a group may be adopted. One that this process has created or adopted belongs to another
// address, and one that it has deleted is about to go.
func (l *groupLock) mayAdopt(group Prior) bool {
	return !l.isMadeElsewhere(group) && group.Fingerprint != l.deleted
}

// exclusively runs an operation with exclusive access to its ID.
func (s *Service) exclusively(
	ctx context.Context, operation Operation, prior Prior, do func(context.Context, *op) (Result, *Problem),
) (Result, error) {
	o := s.begin(operation, prior)
	exit, problem := o.enter(ctx)
	if problem != nil {
		return Result{}, problem
	}
	defer exit()
	return o.carryOut(ctx, func(ctx context.Context) (Result, *Problem) { return do(ctx, o) })
}

// enter waits for exclusive access to the ID. It returns a problem if the run is stopped before, if the process
// is about to end, or if the state shows that the group belongs to another environment than the expected one.
func (o *op) enter(ctx context.Context) (exit func(), _ *Problem) {
	if !o.underWay.begin() {
		return nil, o.problem(CallFailed, api.NewStopped("", context.Canceled))
	}
	value, _ := o.locks.LoadOrStore(strings.ToLower(o.know.ID), &groupLock{held: make(chan struct{}, 1)})
	lock, _ := value.(*groupLock)
	if problem := o.acquire(ctx, lock.held); problem != nil {
		o.underWay.Done()
		return nil, problem
	}
	o.lock = lock
	exit = func() {
		<-lock.held
		o.underWay.Done()
	}
	if problem := o.checkState(); problem != nil {
		exit()
		return nil, o.run.judge(o.operation, problem)
	}
	return exit, nil
}

// carryOut does what the operation is about, unless operations of its kind have ended, and records how that went.
func (o *op) carryOut(ctx context.Context, do func(context.Context) (Result, *Problem)) (Result, error) {
	kind := o.operation // An adoption is a creation.
	if cause := o.run.cause(kind); cause != nil {
		return Result{}, o.problem(CallFailed, nil).refersTo(cause)
	}
	result, problem := do(ctx)
	if problem != nil {
		return result, o.run.judge(kind, problem)
	}
	o.run.succeeded(kind)
	result.Warnings = o.unnamed(result)
	if o.run.isProved() {
		result.Environment = o.settings.Environment
	}
	return result, nil
}

// checkState returns a problem if the state shows that the group belongs to another environment than the expected one.
func (o *op) checkState() *Problem {
	if isOther(o.know.environment(), o.settings.Environment) {
		return o.problem(WrongEnvironment, nil)
	}
	return nil
}

// CheckState returns an error if the state shows that the group belongs to another environment than the expected one.
// It makes no call.
func (s *Service) CheckState(prior Prior) error {
	if problem := s.begin(LookUp, prior).checkState(); problem != nil {
		return s.run.judge(LookUp, problem)
	}
	return nil
}
