package usergroup_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestMain fails a run whose -replay names a scene of no search.
func TestMain(m *testing.M) {
	code := m.Run()
	if *replayed != "" && !sceneFound.Load() {
		fmt.Fprintln(os.Stderr, "no search that was run has the scene of -replay")
		code = 1
	}
	os.Exit(code)
}

var mishapsFlag = flag.Int("mishaps", 1, "how many mishaps a history can have; make test has two, make test-long three")

// TestHistories walks every history with a limited number of mishaps. At the end of each, it compares what the
// provider reports with what really happened.
func TestHistories(t *testing.T) {
	collectLess(t)
	for _, s := range situations() {
		runParallel(t, s.name, func(t *testing.T) {
			search(t, s.name, s.budget, func(c *choices) *record { return &s.play(t, c).record })
		})
	}
}

// history is one path of the search, and what its checks have found.
type history struct {
	*world

	service *usergroup.Service
	state   state
	begun   usergroup.Known // what was known when the operation began
	first   emulator.Group  // the group at the start
	checked int             // how many calls checkNothingElse has checked
	// tokenToCome means that the state keeps the token that the plan promised until the next refresh.
	tokenToCome bool
	// refreshed reports whether a further run has refreshed the state.
	refreshed bool

	err      error                // of the current run
	problems []*usergroup.Problem // errors and warnings of all runs
}

// play plays and checks the history. Then it runs Terraform without mishaps until nothing is left to do.
func (s situation) play(t *testing.T, c *choices) *history {
	h := s.started()
	h.choices = c
	h.operate(t.Context())
	for _, work := range slices.Concat(h.late, h.last) {
		work()
	}
	h.late, h.last = nil, nil
	told := h.check()
	if h.canRestore() && c.choose(2) == 1 {
		h.tell("(the service loses a rotation)")
		h.restore()
	}
	c.alone = true // nothing goes wrong from here on
	if told {
		h.tell("then, without mishaps:")
		h.runAgain(t)
	}
	return h
}

// started returns a history that begins after the check of the service if its mishaps have the same effect in every
// operation. Only lookups and creations do not skip it.
func (s situation) started() *history {
	h := s.start()
	if s.environment == "" && !s.operation.looks {
		if !s.operation.creates {
			h.service.PassCheck(!s.reading.hidesNames)
		}
		h.service.Seen(api.NewSecret("token-of-other"))
	}
	if s.before.seen {
		h.service.Seen(api.NewSecret(h.first.Token))
	}
	return h
}

// usual returns the error of the operation if nothing goes wrong.
func (s situation) usual() error {
	h := s.started()
	h.operate(context.Background())
	return h.err
}

// start returns a history at its beginning. No mishap can happen yet.
func (s situation) start() *history {
	e := emulator.New(s.reading.Options)
	w := &world{situation: s, Emulator: e, makers: map[int64]maker{}, shown: map[int64]bool{}}
	h := &history{world: w}
	h.neighbor = s.creation(e.Seed(emulator.Group{ID: "other", Name: "Other", Token: "token-of-other"}))
	group := emulator.Group{ID: id, Name: oldName, Properties: json.RawMessage(`{"tier":"silver","seats":5}`)}
	switch {
	case s.before.empty:
		group = emulator.Group{ID: id}
	case s.before.alike:
		group.Name, group.Properties = newName, json.RawMessage(wantedProperties)
		group.Mapping = map[string]string{"sales": "another-db"}
	}
	group = e.Seed(group)
	h.makers[group.TeamID] = before
	h.answers = []reply{s.creation(group)}
	if !s.operation.imports && (!s.operation.creates || s.operation.replaces) {
		h.state = state{exists: true, name: oldName, stored: !s.operation.noToken, due: s.operation.rotates}
		h.state.known = usergroup.Known{ID: id, TeamID: &group.TeamID, Token: api.NewSecret(group.Token), Instance: "first"}
		if s.reading.hidesTeams {
			h.state.known.TeamID = nil
		}
		if s.before.tag != "" {
			h.state.known.EnvironmentTag = &s.before.tag
		}
		h.state.learn(api.UserGroup{Token: h.state.known.Token})
	}
	switch {
	case s.before.absent:
		e.Remove(id)
	case s.before.restored:
		h.state.known.Retired = []string{h.state.known.Fingerprint}
		h.state.learn(api.UserGroup{Token: api.NewSecret("token-that-was-lost")})
	case s.before.replaced:
		h.makers[e.Replace(id).TeamID] = another
		if s.operation.looks && !s.reading.hidesTeams || s.operation.replaces {
			e.Change(id, func(g *emulator.Group) { g.Name = "Another" })
		}
	case s.before.otherToken:
		e.RotateBehind(id)
	}
	h.service = newService(w, 1, s.environment)
	h.begun, h.first = h.state.known, group
	return h
}

// operate carries out the operation as the provider does with this state.
func (h *history) operate(ctx context.Context) {
	ctx, h.stop = context.WithCancel(ctx)
	defer h.stop()
	if h.operation.looks && h.state.exists {
		h.refresh(ctx)
	}
	if h.operation.replaces {
		h.delete(ctx)
	}
	if h.err == nil {
		h.apply(ctx)
	}
}

// apply does what is left to do.
func (h *history) apply(ctx context.Context) {
	switch {
	case h.operation.imports:
		h.importGroup(ctx)
	case h.operation.looks, h.operation.deletes && !h.state.exists:
	case h.operation.deletes:
		h.delete(ctx)
	case !h.state.exists:
		h.create(ctx)
	default:
		h.change(ctx, h.operation.writes() && (h.state.name != newName || h.state.unseen))
	}
}

// ended records how an operation has ended, and checks that one that fails returns a group only if that is known to be
// changed.
func (h *history) ended(result usergroup.Result, err error) {
	h.err = errors.Join(h.err, err)
	for _, warning := range result.Warnings {
		h.events = append(h.events, func() string { return "warning: " + facts(warning) })
		h.problems = append(h.problems, warning)
	}
	p := problemOf(err)
	if p == nil {
		return
	}
	h.events = append(h.events, func() string { return "error: " + facts(p) })
	h.problems = append(h.problems, p)
	if returned := result.Group != nil; returned && p.Done != usergroup.Yes ||
		p.Operation == usergroup.Rotate && p.NewToken != returned {
		h.breaks("%s: it returns a group: %t, and reports a new token: %t", facts(p), returned, p.NewToken)
	}
}

func (h *history) refresh(ctx context.Context) {
	found, err := h.service.Find(ctx, h.state.asKnown())
	switch {
	case errors.Is(err, usergroup.ErrNotFound):
		h.state = state{stored: h.state.stored}
		if problem := problemOf(err); problem.LookupUncertain {
			h.ended(usergroup.Result{Warnings: []*usergroup.Problem{problem}}, nil)
		}
	case err != nil:
		h.ended(usergroup.Result{}, err)
	case found.Outdated:
		if time.Since(h.state.rotatedAt) > time.Minute {
			h.breaks("a refresh ignores a token for more than a minute after a rotation")
		}
	default:
		if found.Replaced {
			h.state.known.TakenOver, h.state.name = true, ""
		}
		h.state.known.TakenOverEmpty = h.state.known.TakenOver && found.Empty
		warned := slices.ContainsFunc(found.Warnings, isFound(usergroup.TokenReturned))
		retired := slices.Contains(h.state.known.Retired, found.Token.Fingerprint())
		if warned != (retired && h.restored()) {
			h.breaks("a refresh warns of a retired token: %t, takes one: %t, restored: %t", warned, retired, h.restored())
		}
		if h.state.known.Fingerprint != found.Token.Fingerprint() {
			h.state.rotatedAt = time.Now()
		}
		h.state.learn(found.UserGroup)
		current := func(fingerprint string) bool { return fingerprint == found.Token.Fingerprint() }
		h.state.known.Retired = slices.DeleteFunc(slices.Clone(h.state.known.Retired), current)
		h.ended(usergroup.Result{Warnings: found.Warnings}, nil)
	}
}

func (h *history) importGroup(ctx context.Context) {
	found, err := h.service.FindForImport(ctx, id)
	h.ended(usergroup.Result{Warnings: found.Warnings}, err)
	if err == nil {
		h.state = state{exists: true, stored: true, known: usergroup.Known{ID: id}}
		h.state.learn(found.UserGroup)
	}
}

func (h *history) create(ctx context.Context) {
	result, err := h.service.Create(ctx, wanted(id), h.operation.adopts)
	h.ended(result, err)
	if err == nil {
		known := usergroup.Known{ID: id, Instance: result.Instance}
		h.state = state{exists: true, stored: true, name: newName, known: known}
		h.state.unseen = slices.ContainsFunc(result.Warnings, isFound(usergroup.Claimed))
		h.state.learn(*result.Group)
	}
}

func (h *history) change(ctx context.Context, update bool) {
	known := h.state.asKnown()
	if update {
		result, err := h.service.Update(ctx, wanted(id), known)
		h.ended(result, err)
		if result.Group != nil {
			h.state.known.TakenOver, h.state.unseen = false, false
			h.tokenToCome = h.state.known.Fingerprint != result.Group.Token.Fingerprint()
			if !result.Group.Token.IsZero() {
				known.Token = result.Group.Token
			}
			result.Group.Token = api.Secret{}
			h.state.name = newName
			h.state.learn(*result.Group)
		}
	}
	if h.state.due {
		h.handed = ""
		result, err := h.service.RotateToken(ctx, known)
		h.ended(result, err)
		if result.Group != nil {
			h.tokenToCome = false
			result.Group.Name = nil
			h.state.learn(*result.Group)
			h.state.known.Retired = append(h.state.known.Retired, result.Retired)
			h.state.rotatedAt = time.Now()
			h.state.due = false
		}
	}
}

func (h *history) delete(ctx context.Context) {
	result, err := h.service.Delete(ctx, h.state.asKnown(), "")
	h.ended(result, err)
	remains := slices.ContainsFunc(result.Warnings, isFound(usergroup.AnotherRemains))
	if err == nil && h.state.known.TakenOver && !remains {
		h.breaks("a deletion leaves the group that a refresh has found, and does not say so")
	}
	if err == nil {
		h.state = state{stored: h.state.stored}
	}
}

// state is the resource in Terraform's state.
type state struct {
	exists bool
	known  usergroup.Known
	name   string
	// due means that the configuration asks for a rotation.
	due bool
	// stored is the value of store_token.
	stored bool
	// unseen means that the group may have another mapping than the one that was sent.
	unseen bool
	// rotatedAt is the value of token_rotated_at.
	rotatedAt time.Time
}

func (s state) asKnown() usergroup.Known {
	known := s.known
	known.Name, known.SinceRotation = s.name, time.Since(s.rotatedAt)
	return known
}

// learn copies a response into the state as the provider's model does.
func (s *state) learn(group api.UserGroup) {
	if group.TeamID != nil {
		s.known.TeamID = group.TeamID
	}
	if group.EnvironmentTag != nil {
		s.known.EnvironmentTag = group.EnvironmentTag
	}
	if !group.Token.IsZero() {
		s.known.Token, s.known.Fingerprint = group.Token, group.Token.Fingerprint()
	}
	if !s.stored {
		s.known.Token = api.Secret{}
	}
	if group.Name != nil {
		s.name = *group.Name
	}
}
