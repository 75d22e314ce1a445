package provider_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// act is one operation, as an engine asks for it.
type act struct {
	name string
	// do carries the act out in the current walk. The state of the step is the one before, and becomes the one after.
	do func(*rig, *step) Diags
	// wants is the configuration, or nil if there is none.
	wants func(id string) Object
	// isNew means that the group is not in the state before, and noState that the act has no state at all.
	isNew, noState bool
	many           bool // one act looks up all the groups
}

func configured(changes ...any) func(string) Object {
	return func(id string) Object {
		return With(Object{
			"user_group_id": id, "name": "Acme", "mapping": Object{"sales": secretSource},
			"properties": `{"rows":10,"tier":"` + secretTier + `"}`, "rotate_token_when_changed": Quarter("Q1"),
		}, changes...)
	}
}

// Values of properties and mapping, which no message may show.
const secretTier, secretSource = "platinum-4711", "warehouse-4711"

func apply(r *rig, s *step) (diags Diags) {
	var config Object
	if wants := r.act.wants; wants != nil {
		config = wants(s.id)
	}
	s.config = config
	s.after, diags = r.p.ApplyToo(r.p.PlanToo(s.state, config))
	return diags
}

func refresh(r *rig, s *step) (diags Diags) {
	s.after, diags = r.p.ReadToo(s.state)
	return diags
}

func importing(r *rig, s *step) Diags {
	imported, diags := r.p.Importing(s.id, nil)
	if !diags.HasError() {
		imported, diags = r.p.ReadToo(imported)
	}
	if s.after = imported; diags.HasError() {
		s.after = r.p.Nothing() // An engine discards the import.
	}
	return diags
}

var acts = []act{
	{name: "refresh", do: refresh},
	{name: "import", do: importing, isNew: true},
	{name: "data source", noState: true, do: func(r *rig, s *step) Diags {
		return second(r.p.Data(ResourceType, ByID(s.id)))
	}},
	{name: "data source of many", noState: true, many: true, do: func(r *rig, _ *step) Diags {
		return second(userGroups(r.p, groupIDs...))
	}},
	{name: "ephemeral", noState: true, do: func(r *rig, s *step) Diags { return second(r.p.Open(ByID(s.id))) }},
	{name: "list", noState: true, many: true, do: func(r *rig, _ *step) Diags {
		return second(r.p.List(0, true, groupIDs...))
	}},
	{name: "action", noState: true, do: func(r *rig, s *step) Diags { return second(r.p.Invoke(ByID(s.id))) }},
	{name: "create", do: apply, isNew: true, wants: configured()},
	{name: "adopt", do: apply, isNew: true, wants: configured("adopt_existing", true)},
	{name: "update", do: apply, wants: configured("name", "New", "properties", `{"tier":"other-4712"}`)},
	{name: "rotate", do: apply, wants: configured("rotate_token_when_changed", Quarter("Q2"))},
	{
		name: "update and rotate", do: apply,
		wants: configured("name", "New", "rotate_token_when_changed", Quarter("Q2")),
	},
	{name: "destroy", do: apply},
}

func actNamed(name string) act {
	return acts[slices.IndexFunc(acts, func(a act) bool { return a.name == name })]
}

// befallen is what somebody else has done to the groups before an act.
var befallen = map[string]func(*emulator.Environment, string){
	"as it was": nil,
	"removed":   func(service *emulator.Environment, id string) { service.Remove(id) },
	"replaced":  func(service *emulator.Environment, id string) { service.Remove(id); service.Seed(theirGroup(id)) },
	"rotated":   func(service *emulator.Environment, id string) { service.RotateBehind(id) },
}

func theirGroup(id string) emulator.Group { return emulator.Group{ID: id, Name: "Theirs"} }

// rig carries out histories on one kind of service.
type rig struct {
	name    string
	isWrong bool // the API key opens another environment than the expected one
	stopped bool // an engine has stopped the run
	p       *Provider
	wire    *wire
	act     act // of the history
	options emulator.Options
	tag     string           // the environment that the API key opens
	states  map[string]State // what Terraform has of the groups
	groups  []emulator.Group // what the service has of them
}

// groupIDs are the groups that an act is about, one after another.
var groupIDs = []string{"acme", "bravo", "carol"}

// newRig creates the groups with the right API key. The histories begin with the given arguments.
func newRig(t *testing.T, options emulator.Options, right, arguments Object) *rig {
	t.Helper()
	options.FirstTeamID = 1001
	r := &rig{wire: &wire{service: emulator.New(options)}, options: options, states: map[string]State{}}
	r.p = Bare(t, providerserver.NewProtocol6(provider.NewForTests("test", time.Now, r.wire)()))
	r.p.Use(r.wire.service, options)
	r.p.Configure(With(r.p.Arguments(), right)).WantNone()
	for _, id := range groupIDs {
		state, diags := r.p.ApplyToo(r.p.PlanToo(r.p.Nothing(), configured()(id)))
		if diags.HasError() {
			t.Fatalf("%s was not created: %s", id, diags)
		}
		r.states[id] = state
	}
	r.groups = all(r.wire.service, options)
	arguments = With(With(r.p.Arguments(), right), arguments)
	r.tag = cmp.Or(options.Environments[arguments["api_key"].(string)], "Customer")
	r.p.Configure(arguments).WantNone()
	return r
}

// begin begins a history of an act, with a service that has the groups as somebody else has left them.
func (r *rig) begin(act act, befell func(*emulator.Environment, string)) {
	r.act = act
	r.p.ForgetLogs()
	options := r.options
	options.FirstTeamID = 5001 // No number is used again.
	r.wire.service = emulator.New(options)
	r.p.Service = r.wire.service
	r.wire.strikes, r.wire.before, r.wire.number, r.wire.answers, r.stopped = nil, nil, 0, nil, false
	for _, group := range r.groups {
		r.wire.service.Seed(group)
		if befell != nil {
			befell(r.wire.service.In(group.Environment), group.ID)
		}
	}
}

// step is an act on one group, and what came of it.
type step struct {
	act          act
	id           string // empty if the act is about many
	config       Object
	state, after State
	tag          string           // the environment that the API key opens
	had, has     []emulator.Group // of the service before, and once all its work is done
	calls        []emulator.Call  // what the service did
	answers, run []answer         // what the client got in this step, and in the whole run up to its end
	said         Diags
	earlier      []string // the titles that this run has printed before
	logged       string
	stopped      bool // the run was stopped before or during this step
	isFirst      bool
	rig          *rig
	again        *Diags          // what running again says, once somebody has asked
	repeated     []emulator.Call // what the service did then
	isWrong      bool            // the API key opens another environment than the expected one
}

// play carries the act out for the groups, one after another in one run, and lets what is under way at the service end.
func (r *rig) play(ids ...string) (steps []*step) {
	r.p.T.Helper()
	r.p.Walk().WantNone()
	var earlier []string
	for i, id := range ids {
		s := r.step(id)
		s.earlier, s.isFirst = slices.Clone(earlier), i == 0
		for _, d := range s.said.List {
			earlier = append(earlier, d.Summary)
		}
		steps = append(steps, s)
	}
	r.wire.strikes, r.wire.before = nil, nil
	return steps
}

func (r *rig) step(id string) *step {
	r.p.T.Helper()
	s := &step{act: r.act, id: id, tag: r.tag, rig: r, state: r.states[id]}
	if r.act.isNew || r.act.noState {
		s.state = r.p.Nothing()
	}
	if r.act.many {
		s.id = ""
	}
	s.after = s.state
	s.had = all(r.wire.service, r.options)
	answered, logged := len(r.wire.answers), len(r.p.Logged())
	r.wire.service.ResetCounts()
	s.said = r.act.do(r, s)
	s.stopped, s.isWrong = r.stopped, r.isWrong
	s.answers, s.run = r.wire.answers[answered:], r.wire.answers
	s.logged = r.p.Logged()[logged:]
	if len(s.said.List) > 0 { // Only then does it matter what comes later.
		time.Sleep(time.Minute)
	}
	s.calls, s.has = r.wire.service.Calls(), all(r.wire.service, r.options)
	return s
}

// runsAgain returns what the act says if it is carried out again in another run, without a fault.
func (s *step) runsAgain() Diags {
	if s.again != nil {
		return *s.again
	}
	r := s.rig
	time.Sleep(2 * time.Minute)
	r.p.Walk().WantNone()
	next := *s
	next.state = s.after
	if !s.act.noState && !next.state.Value.IsNull() {
		refreshed, diags := r.p.ReadToo(next.state)
		if diags.HasError() {
			s.again = &diags
			return diags
		}
		next.state = refreshed
	}
	diags := Diags{}
	r.wire.service.ResetCounts()
	if s.act.name != "destroy" || !next.state.Value.IsNull() {
		diags = s.act.do(r, &next)
	}
	s.repeated = r.wire.service.Calls()
	s.again = &diags
	return diags
}

// all returns the groups of all environments.
func all(service *emulator.Emulator, options emulator.Options) (groups []emulator.Group) {
	tags := []string{"Customer"}
	if options.Environments != nil {
		tags = slices.Sorted(maps.Values(options.Environments))
	}
	for _, tag := range slices.Compact(tags) {
		groups = append(groups, service.In(tag).Groups()...)
	}
	return groups
}

// group returns one of the groups in the environment of the key.
func (s *step) group(groups []emulator.Group, id string) (emulator.Group, bool) {
	at := slices.IndexFunc(groups, func(g emulator.Group) bool { return g.ID == id && g.Environment == s.tag })
	if at < 0 {
		return emulator.Group{}, false
	}
	return groups[at], true
}
