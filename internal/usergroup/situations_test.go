package usergroup_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// situation is the start of a history: the operation, the group before it, and the reading of the service. The rules
// ask for facts about these, and never for their names.
type situation struct {
	name        string
	operation   operation
	before      beginning
	reading     reading
	environment string
	budget      int
	// twins reports whether mishaps are tried that the caller cannot distinguish from others.
	twins bool
	// settled are the signatures with which runAgain has run already.
	settled map[string]bool
}

// operation is what Terraform does to the group.
type operation struct {
	looks, imports, creates, adopts, updates, rotates, deletes bool
	// replaces means that the group is deleted and created by the same process.
	replaces bool
	// noToken means that the state does not store the token.
	noToken bool
	befores []string
}

// writes reports whether the operation sends what is wanted of the group.
func (o operation) writes() bool { return o.creates || o.updates }

// What the group can be before an operation, depending on what the state has.
var (
	ofState        = []string{"as known", "other token", "token restored", "absent", "another group"}
	ofStateNoToken = []string{"as known", "token restored", "absent", "another group"}
	ofNoState      = []string{"absent", "exists", "nameless", "alike"}
)

var operations = map[string]operation{
	"read":               {looks: true, befores: ofState},
	"import":             {looks: true, imports: true, befores: []string{"exists", "absent", "nameless"}},
	"create":             {creates: true, befores: append(slices.Clip(ofNoState), "alike and seen")},
	"create, replacing":  {creates: true, replaces: true, befores: []string{"as known", "other token", "another group"}},
	"adopt":              {creates: true, adopts: true, befores: ofNoState},
	"update":             {updates: true, befores: ofState},
	"rotate":             {rotates: true, befores: ofState},
	"rotate, not stored": {rotates: true, noToken: true, befores: ofStateNoToken},
	"update and rotate": {
		updates: true, rotates: true, befores: []string{"as known", "other token", "token restored", "absent"},
	},
	"delete":             {deletes: true, befores: ofState},
	"delete, not stored": {deletes: true, noToken: true, befores: ofStateNoToken},
}

// beginning is what the group is before the operation.
type beginning struct {
	absent bool
	// replaced means that another group has its ID, and otherToken that the token in the state is not the current one.
	replaced, otherToken bool
	// restored means that the service has lost the last rotation, so that the token in the state does not work.
	restored bool
	// empty means that it has no name and no properties, so that it looks like a placeholder. alike means that it differs
	// from what is wanted only in its mapping.
	empty, alike bool
	// seen means that this process has looked up the group before.
	seen bool
	// tag is the tag of the environment to which the state says that it belongs, if that is known.
	tag string
}

var befores = map[string]beginning{
	"as known":       {},
	"exists":         {},
	"nameless":       {empty: true},
	"alike":          {alike: true},
	"alike and seen": {alike: true, seen: true},
	"other token":    {otherToken: true},
	"token restored": {restored: true},
	"absent":         {absent: true},
	"of Customer":    {tag: "Customer"},
	"of Testing":     {tag: "Testing"},
	"another group":  {replaced: true, otherToken: true},
}

// reading is a variant of the service's behavior. The contract does not allow all of them.
type reading struct {
	emulator.Options

	// changes lists the prefixes of the operations that this reading affects; nil means all operations.
	changes []string
	// twin means that the caller cannot distinguish this reading from another one, so that one mishap is enough, and
	// the reading is left out if no history has more.
	twin bool
	// hidesNames means that lookups by ID alone show no names, so that a placeholder looks like any other group.
	hidesNames bool
	// hidesTeams means that no response has a team_id, so that two groups with one ID look the same.
	hidesTeams bool
	// fragile is the reason why an operation need not recover from a single mishap. It is empty if it must.
	fragile string
}

var readings = map[string]reading{
	"stored": {},
	"echo":   {Options: emulator.Options{Answers: emulator.AnswersEcho}, hidesNames: true},
	"merge": {
		Options: emulator.Options{Updates: emulator.UpdatesMerge}, changes: []string{"create", "adopt", "update"},
		fragile: "the response to an update contradicts what was sent, which takes the only retry to confirm",
	},
	"name required": {Options: emulator.Options{NameRequired: true}},
	"success 0":     {Options: emulator.Options{Refusals: emulator.RefusalsSuccessZero}, twin: true},
	"upsert": {
		Options: emulator.Options{UpsertOnPut: true}, changes: []string{"adopt", "update"},
		fragile: "the update of a missing group creates another one, and needs the only retry to confirm that",
	},
	"forgiving deletes": {
		Options: emulator.Options{ForgivingDeletes: true}, changes: []string{"read", "import", "delete"},
	},
	"stale token 401": {
		Options: emulator.Options{StaleTokenStatus: 401}, changes: []string{"update and", "rotate", "delete"},
	},
	"stale token 403": {Options: emulator.Options{StaleTokenStatus: 403}, twin: true},
	"stale token 500": {
		Options: emulator.Options{StaleTokenStatus: 500}, changes: []string{"update and", "rotate", "delete"},
		fragile: "a stale token already takes the only retry",
	},
	"trimmed names": {Options: emulator.Options{TrimNames: true}, changes: []string{"create", "adopt", "update"}},
	"silent": {
		Options: emulator.Options{Omit: []string{"name", "provided_id", "properties"}}, hidesNames: true,
	},
	"hides properties": {Options: emulator.Options{Omit: []string{"properties"}}, changes: []string{"create"}},
	"no team_id": {
		Options: emulator.Options{Omit: []string{"team_id"}}, hidesTeams: true,
		fragile: "without a token either, nothing shows which group a response is about",
	},
	"lagging reads": {
		Options: emulator.Options{TokenLag: 1500 * time.Millisecond},
		fragile: "a lookup does not show yet what a lost attempt has done",
	},
}

// situationCalled returns the situation with a name: operation, group before it, reading and, if one is expected,
// environment.
func situationCalled(name string) situation {
	parts := append(strings.Split(name, "/"), "")
	s := situation{name: name, environment: parts[3], settled: map[string]bool{}}
	var known [3]bool
	s.operation, known[0] = operations[parts[0]]
	s.before, known[1] = befores[parts[1]]
	s.reading, known[2] = readings[parts[2]]
	if slices.Contains(known[:], false) {
		panic("there is no situation " + name)
	}
	return s
}

func situations() []situation {
	var all []situation
	twins := *mishapsFlag > 1 || *replayed != ""
	add := func(name string, budget int) {
		s := situationCalled(name)
		s.budget = budget
		s.twins = twins || strings.HasSuffix(name, "/stored")
		all = append(all, s)
	}
	for operation, what := range operations {
		changed := func(by string) bool { return strings.HasPrefix(operation, by) }
		for _, before := range what.befores {
			for name, reading := range readings {
				budget := *mishapsFlag
				// A lookup of a group without a name looks again for half a minute, which multiplies the histories.
				if befores[before].empty {
					budget = max(1, budget-1)
				}
				if reading.twin {
					budget = min(budget, 1)
				}
				if befores[before].alike && reading.hidesNames || reading.twin && !twins {
					continue // It looks like any other group, or behaves like another reading.
				}
				if reading.changes == nil || slices.ContainsFunc(reading.changes, changed) {
					add(operation+"/"+before+"/"+name, budget)
				}
			}
			// The right environment adds only the check, and a wrong one ends every operation in the same way.
			for _, environment := range []string{"Customer", "Testing"} {
				budget := min(*mishapsFlag, 1)
				if environment == "Customer" && !befores[before].empty && (operation == "read" || operation == "update") {
					budget = *mishapsFlag
				}
				add(operation+"/"+before+"/stored/"+environment, budget)
			}
		}
	}
	slices.SortFunc(all, func(a, b situation) int { return strings.Compare(a.name, b.name) })
	return all
}

// creation returns the response to the creation of a group.
func (s situation) creation(group emulator.Group) reply {
	shown := map[string]any{
		"team_id": group.TeamID, "token": group.Token, "name": group.Name, "provided_id": group.ID,
	}
	for _, field := range s.reading.Omit {
		delete(shown, field)
	}
	body, _ := json.Marshal(map[string]any{"success": 1, "new_user_group": true, "user_group": shown})
	return reply{status: http.StatusOK, body: body}
}
