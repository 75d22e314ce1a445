package protocoltest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

var (
	runsFlag  = flag.Int("runs", 2, "how many runs a sequence of TestSequences has; make test-long has three")
	walksFlag = flag.Int("walks", 1, "how many walks TestSequences makes; make test has six, make test-long all")
)

// TestSequences walks the sequences of runs on one group, each with at most one mishap, in virtual time and with the
// private state that the provider writes. The first run creates, imports or adopts the group. Each further one changes
// nothing, destroys, replaces, updates, rotates, or does both of the latter. Sequences that lead to the same are
// continued once.
func TestSequences(t *testing.T) {
	t.Parallel()
	all := append(readings(), emulator.Options{TokenLag: 1500 * time.Millisecond},
		emulator.Options{Omit: []string{"name", "provided_id", "properties"}})
	firsts := []string{"create", "import", "adopt"}
	for n := range min(*walksFlag, len(firsts)*len(all)) {
		// The factor spreads the first walks over the readings. It has no divisor in common with their number.
		first, reading := firsts[n%len(firsts)], (5*n+n/len(all))%len(all)
		t.Run(fmt.Sprint(first, "/", reading), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &walk{options: all[reading], seen: map[string]bool{}, advice: map[string][]advice{}}
				w.Provider = Bare(t, providerserver.NewProtocol6(provider.NewForTests("test", time.Now, w)()))
				w.Configure(Object{
					"base_url": "http://127.0.0.1", "api_key": emulator.DefaultKey, "max_retries": reading % 2,
				}).WantNone()
				w.NoTeams = slices.Contains(w.options.Omit, "team_id")
				start := reached{state: w.Nothing(), imports: first == "import"}
				start.config = Acme("adopt_existing", first == "adopt")
				if first != "create" {
					start.groups = []emulator.Group{{
						ID: "acme", Name: "Old", Properties: json.RawMessage(`{"tier":"silver","old":true}`),
					}}
				}
				w.explore(start)
				t.Logf("%d runs lead to %d states and messages", w.runs, len(w.seen))
			})
		})
	}
}

// order is what a run is to do.
type order struct {
	config   Object // nil for a destruction
	replaces bool   // as with -replace
}

// reached is what a sequence of runs has led to.
type reached struct {
	state State
	order // of the last run
	// imports is set if a group that is not in the state is imported.
	imports bool
	groups  []emulator.Group
	// managed and empty are the team_ids of the groups that Terraform has managed and of those that lookups have created.
	managed, empty []int64
	misled         bool   // an old response may have shown another group than the managed one
	old            []byte // the last response to a lookup
	teams          int64  // no team_id is above 1000 plus this
	story          []string
}

// walk is the network, the service, and what the current run has reached.
type walk struct {
	*Provider
	reached

	options emulator.Options
	// unlucky is the number of the attempt in this run that has a mishap, or -1, and mishap is the number of the mishap.
	unlucky, mishap int
	plan            Plan
	possible        []int         // how many mishaps each attempt of this run can have
	pause           time.Duration // before the next run
	seen            map[string]bool
	advice          map[string][]advice // by sentence
	runs            int
}

func (w *walk) tell(format string, args ...any) {
	w.story = append(slices.Clip(w.story), fmt.Sprintf(format, args...))
}

// explore walks all sequences that begin with start.
func (w *walk) explore(start reached) {
	from := []reached{start}
	for run := range *runsFlag {
		var next []reached
		continueAfter := func(diags Diags) {
			signature := w.signature()
			if !w.seen[signature] {
				w.seen[signature] = true
				next = append(next, w.reached)
			}
			if signature += random.ReplaceAllString(diags.String(), ""); !w.seen[signature] {
				w.seen[signature] = true
				w.heed(diags, 3)
			}
		}
		for _, one := range from {
			for _, order := range orders(run, one.config) {
				diags := w.run(one, order, -1, 0)
				possible := w.possible
				continueAfter(diags)
				for unlucky, mishaps := range possible {
					for mishap := range mishaps {
						continueAfter(w.run(one, order, unlucky, mishap))
					}
				}
			}
		}
		from = next
	}
}

// orders returns what a run can do after one with the configuration before.
func orders(run int, before Object) []order {
	if run == 0 {
		return []order{{config: before}}
	}
	base := With(Acme(), before)
	other := func(one, two Object) Object {
		if reflect.DeepEqual(With(base, one), base) {
			return two
		}
		return one
	}
	const trigger = "rotate_token_when_changed"
	name := other(Object{"name": "Acme"}, Object{"name": "New"})
	mapping := other(Object{"mapping": Object{"sales": "db-1"}}, Object{"mapping": Object{}})
	rotation := other(Object{trigger: Quarter("Q1")}, Object{trigger: Quarter("Q2")})
	return []order{
		{config: before},
		{config: nil},
		{config: base, replaces: true},
		{config: With(base, mapping)},
		{config: With(base, rotation)},
		{config: With(base, name, rotation)},
	}
}

// run refreshes, plans and applies as Terraform does, a minute after an earlier run, and checks what must hold after
// every run. A mishap befalls the unlucky attempt.
func (w *walk) run(from reached, order order, unlucky, mishap int) Diags {
	w.serve(from)
	w.pause = time.Minute
	w.order = order
	return w.runOn(unlucky, mishap)
}

// serve starts a service that is as an earlier run has left it, except that no read lags.
func (w *walk) serve(from reached) {
	w.reached = from
	w.teams += 100
	options := w.options
	options.FirstTeamID = 1000 + w.teams
	w.Service = emulator.New(options)
	for _, group := range w.groups {
		w.Service.Seed(group)
	}
}

// runOn is run with the service, the state and the order as they are.
func (w *walk) runOn(unlucky, mishap int) (diags Diags) {
	time.Sleep(w.pause)
	before := w.state
	w.unlucky, w.mishap, w.possible, w.plan = unlucky, mishap, nil, Plan{}
	w.runs++
	w.tell("run:")
	w.Service.ResetCounts()
	w.state, diags = w.refreshAndApply()
	w.groups = w.Service.Groups()
	w.tell("%s", diags)
	if w.check(before, diags); w.T.Failed() {
		w.fail("this must not happen")
	}
	return diags
}

// fail ends the test.
func (w *walk) fail(why string) {
	w.T.Helper()
	w.T.Fatalf("%s: %+v\n%s", why, w.options, strings.Join(w.story, "\n"))
}

// refreshAndApply returns the new state.
func (w *walk) refreshAndApply() (state State, diags Diags) {
	w.Walk().WantNone()
	switch state = w.state; {
	case !state.Value.IsNull():
		state, diags = w.ReadToo(state)
	case w.config != nil && w.imports:
		state, diags = w.ImportToo("acme")
	}
	switch {
	case diags.HasError():
		return w.state, diags
	case state.Value.IsNull() && w.config == nil:
		return state, diags
	}
	if w.plan = w.PlanToo(state, w.config); w.plan.Diags.HasError() {
		return w.state, w.plan.Diags
	}
	if w.replaces && !w.state.Value.IsNull() && !state.Value.IsNull() {
		w.plan = w.PlanToo(w.Nothing(), w.config)
		w.plan.Action, w.plan.Prior = "replace", state
	}
	return w.Apply(w.plan)
}

// check checks what must hold after every run.
func (w *walk) check(before State, diags Diags) {
	rotations := w.checkCalls(before)
	const trigger, fingerprint = "rotate_token_when_changed", "token_fingerprint"
	exists := !w.state.Value.IsNull()
	if w.plan.Action == "update" {
		due := w.plan.Get(fingerprint) == Unknown
		recorded := reflect.DeepEqual(w.state.Get(trigger), w.config[trigger])
		rotated := w.state.Get(fingerprint) != w.plan.Prior.Get(fingerprint)
		if due && recorded != rotated || !due && rotations > 0 {
			w.T.Errorf("a rotation is due: %t, recorded as done: %t, the token has changed: %t", due, recorded, rotated)
		}
	}
	if diags.HasError() || w.unlucky >= 0 {
		return
	}
	group, there := w.Service.Group("acme")
	switch {
	case there != exists && (exists || slices.Contains(w.managed, group.TeamID) && !w.misled):
		w.T.Errorf("the state has a group: %t, the service has one: %t", exists, there)
	case exists:
		w.WantTruth(w.state, "acme")
		if w.plan.Action == "no-op" {
			w.plan.Diags.WantNone()
		} else {
			w.WantSettled(w.state, w.config)
		}
		mapping, _ := w.config["mapping"].(Object)
		asConfigured := group.Name == w.config["name"] && len(group.Mapping) == len(mapping)
		// Without a team_id, a group that another actor has created in place of the managed one looks like it.
		if !asConfigured && !w.NoTeams && !w.misled && w.options.Updates != emulator.UpdatesMerge {
			w.T.Errorf("the service has %+v", group)
		}
	}
}

// checkCalls checks that only a group that Terraform manages, or an empty one, was deleted, and that the token was
// rotated once at most. It returns the number of rotations.
func (w *walk) checkCalls(before State) (rotations int) {
	team, _ := w.state.Get("team_id").(int64)
	if before.Value.IsNull() {
		w.managed = append(slices.Clip(w.managed), team)
	}
	for _, call := range w.Service.Calls() {
		if (call.Created || call.Updated) && call.TeamID == team {
			w.managed = append(slices.Clip(w.managed), team)
		}
		asked := (w.config == nil || w.replaces) && (w.NoTeams || slices.Contains(w.managed, call.TeamID))
		empty := IsPreflight(call) || slices.Contains(w.empty, call.TeamID)
		if call.Deleted && !asked && !empty && !w.options.ForgivingDeletes {
			w.T.Errorf("a live group was deleted: %s", call)
		}
		if call.Rotated {
			rotations++
		}
	}
	if rotations > 1 {
		w.T.Errorf("rotated %d times", rotations)
	}
	return rotations
}

// readings returns a selection of readings. It covers every combination of the values of any two options.
func readings() (readings []emulator.Options) {
	for row := range uint(16) {
		// The parities of different subsets of the bits form an orthogonal array.
		is := func(columns uint) int { return bits.OnesCount(row&columns) % 2 }
		options := emulator.Options{
			StaleTokenStatus: []int{0, 401, 403, 500}[2*is(1)+is(2)],
			Answers:          emulator.Answers(is(4)), Updates: emulator.Updates(is(8)), Refusals: emulator.Refusals(is(5)),
			NameRequired: is(6) == 1, UpsertOnPut: is(9) == 1, ForgivingDeletes: is(10) == 1, TrimNames: is(12) == 1,
			Environments: map[string]string{emulator.DefaultKey: []string{"Customer", ""}[is(13)]},
		}
		if is(14) == 1 {
			options.Omit = []string{"team_id"}
		}
		readings = append(readings, options)
	}
	return readings
}
