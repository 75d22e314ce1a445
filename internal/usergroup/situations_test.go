package usergroup_test

import (
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// situation is the start of a history: the operation, the group before it, and the reading of the service.
type situation struct {
	operation, before, reading string
	environment                string
	budget                     int
}

func (s situation) name() string {
	name := s.operation + "/" + s.before + "/" + s.reading
	if s.environment != "" {
		name += "/" + s.environment
	}
	return name
}

// readings are variants of the service's behavior. The contract does not allow all of them.
var readings = map[string]struct {
	options emulator.Options
	// changes lists the prefixes of the operations that this reading affects; nil means all operations.
	changes []string
	// twin means that the caller cannot distinguish this reading from another one, so that one mishap is enough.
	twin bool
	// nameless means that lookups by ID alone show no names, so that a placeholder looks like any other group.
	nameless bool
}{
	"stored": {},
	"echo":   {options: emulator.Options{Answers: emulator.AnswersEcho}, nameless: true},
	"merge": {
		options: emulator.Options{Updates: emulator.UpdatesMerge}, changes: []string{"create", "adopt", "update"},
	},
	"name required": {options: emulator.Options{NameRequired: true}},
	"success 0":     {options: emulator.Options{Refusals: emulator.RefusalsSuccessZero}, twin: true},
	"upsert":        {options: emulator.Options{UpsertOnPut: true}, changes: []string{"adopt", "update"}},
	"forgiving deletes": {
		options: emulator.Options{ForgivingDeletes: true}, changes: []string{"read", "import", "delete"},
	},
	"stale token 401": {
		options: emulator.Options{StaleTokenStatus: 401}, changes: []string{"update and", "rotate", "delete"},
	},
	"stale token 403": {options: emulator.Options{StaleTokenStatus: 403}, twin: true},
	"stale token 500": {
		options: emulator.Options{StaleTokenStatus: 500}, changes: []string{"update and", "rotate", "delete"},
	},
	"lower case":      {options: emulator.Options{IDs: emulator.IDsLowerCase}},
	"trimmed names":   {options: emulator.Options{TrimNames: true}, changes: []string{"create", "adopt", "update"}},
	"adds a property": {options: emulator.Options{AddsProperty: true}, changes: []string{"create", "adopt", "update"}},
	"silent": {
		options: emulator.Options{Omit: []string{"name", "provided_id", "properties"}}, nameless: true,
	},
	"no team_id":    {options: emulator.Options{Omit: []string{"team_id"}}},
	"lagging reads": {options: emulator.Options{ReadLag: 1500 * time.Millisecond}},
}

var befores = map[string][]string{
	"read":               {"as known", "other token", "absent", "another group"},
	"import":             {"exists", "absent", "nameless"},
	"create":             {"absent", "exists", "nameless"},
	"adopt":              {"absent", "exists", "nameless"},
	"update":             {"as known", "other token", "absent", "another group"},
	"rotate":             {"as known", "other token", "absent", "another group"},
	"rotate, not stored": {"as known", "absent", "another group"},
	"update and rotate":  {"as known", "other token", "absent"},
	"delete":             {"as known", "other token", "absent", "another group"},
	"delete, not stored": {"as known", "absent", "another group"},
}

func situations() []situation {
	var all []situation
	for operation, starts := range befores {
		changed := func(by string) bool { return strings.HasPrefix(operation, by) }
		for _, before := range starts {
			for name, reading := range readings {
				budget := *mishapsFlag
				// A lookup of a group without a name looks again for half a minute, which multiplies the histories.
				if reading.twin || before == "nameless" {
					budget = min(budget, 1)
				}
				if reading.changes == nil || slices.ContainsFunc(reading.changes, changed) {
					all = append(all, situation{operation, before, name, "", budget})
				}
			}
			// The right environment adds only the check, and a wrong one ends every operation in the same way.
			for _, environment := range []string{"Customer", "Testing"} {
				budget := min(*mishapsFlag, 1)
				if environment == "Customer" && before != "nameless" && (operation == "read" || operation == "update") {
					budget = *mishapsFlag
				}
				all = append(all, situation{operation, before, "stored", environment, budget})
			}
		}
	}
	slices.SortFunc(all, func(a, b situation) int { return strings.Compare(a.name(), b.name()) })
	return all
}
