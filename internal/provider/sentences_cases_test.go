package provider_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// sentenceCases are histories in which a message was once false or misled. The oracle checks each of them, too.
var sentenceCases = map[string]struct {
	act     string
	befell  string // what somebody else did before
	sets    Object
	faults  map[int]string // by the number of the request; 0 for all of them
	methods map[string]string
	ids     int // how many groups; 0 means one
	says    []string
	not     []string
}{
	"a destroy of what is gone, with a lost lookup, does not keep it": {
		act: "destroy", befell: "removed", faults: map[int]string{2: "lost after the work"},
		not: []string{"was not deleted", "stays in the state"},
	},
	"a destroy does not say that a group was gone which it has deleted": {
		act: "destroy", faults: map[int]string{1: "500, work done", 2: "lost after the work"},
		not: []string{"is gone", "was gone", "does not exist"},
	},
	"a destroy does not say that a group is gone which may live elsewhere": {
		act: "destroy", befell: "replaced", says: []string{"No other group was touched"},
		not: []string{"is gone", "was gone"},
	},
	"a live group is not called empty if the rotation of an action and its look are lost": {
		act: "action", faults: map[int]string{2: "lost after the work", 3: "lost before the work"},
		not: []string{"empty group"},
	},
	"a live group whose token was rotated elsewhere is not called empty": {
		act: "rotate", befell: "rotated", faults: map[int]string{2: "lost before the work"}, not: []string{"empty group"},
	},
	"an action has no state": {
		act: "action", methods: map[string]string{"POST": "another number"},
		not: []string{"the state has it", "next plan"},
	},
	"a redirected rotation may have been done": {
		act: "rotate", methods: map[string]string{"POST": "303, work done"}, not: []string{"was not rotated"},
	},
	"a rotation that a cache answers may have been done": {
		act: "rotate", methods: map[string]string{"POST": "from a cache, work done"}, not: []string{"was not rotated"},
	},
	"the test group of a preflight that fails in a deletion is named": {
		act: "destroy", befell: "removed", faults: map[int]string{5: "500"},
	},
	"the outcome of each rotation is said": {
		act: "rotate", methods: map[string]string{"": "lost after the work"}, ids: 2,
		says: []string{"It is not known whether the token was rotated"}, not: []string{"was not rotated"},
	},
	"an action whose outcome is unknown is not simply run again": {
		act: "action", methods: map[string]string{"POST": "no response, work done later"},
		says: []string{"so wait some minutes", rotateOnce}, not: []string{"Run again."},
	},
	"an adoption after a lost creation does not say that the group existed": {
		act: "adopt", befell: "removed", faults: map[int]string{1: "lost after the work"},
		says: []string{"is assumed to be the one just created"}, not: []string{"The group already existed"},
	},
	"a creation with another name was done": {
		act: "create", befell: "removed", faults: map[int]string{1: "another ID in capitals"}, not: []string{"not created"},
	},
	"a response about another group proves no update": {
		act: "update", methods: map[string]string{"PUT": "another group"},
		says: []string{"It is not known whether the group was updated."}, not: []string{"The group was updated."},
	},
	"a response about another group proves no rotation": {
		act: "rotate", faults: map[int]string{1: "another group"}, not: []string{"ugt_theirs"},
	},
	"a live group without a token is not an empty one": {
		act: "refresh", methods: map[string]string{"": "without token"}, not: []string{"may remain"},
	},
	"a token that comes late: the group was created": {
		act: "create", befell: "removed", methods: map[string]string{"": "without token"},
		says: []string{"The group was created. It is not in the state: import it."},
	},
	"other properties than were sent are told": {
		act: "create", befell: "removed", methods: map[string]string{"": "other properties"},
	},
	"403 with Retry-After is no matter of the key": {
		act: "refresh", methods: map[string]string{"": "403 with Retry-After"},
		says: []string{"limiting the rate of calls"}, not: []string{"key"},
	},
	"nobody can use the ID of the test group": {
		act: "data source", befell: "removed", sets: Object{"environment": "Customer"},
		faults: map[int]string{1: "another ID in capitals"}, says: []string{"The preflight", "delete no group by hand"},
		not: []string{"use the ID that it shows", "remove it"},
	},
	"409 is no matter of the key": {act: "refresh", methods: map[string]string{"": "409"}, not: []string{"key"}},
	"504 is no matter of the key": {
		act: "update", methods: map[string]string{"": "504"}, not: []string{"key", "base_url"},
	},
	"404 of this service is no matter of the address": {
		act: "update", befell: "removed", methods: map[string]string{"PUT": "404"}, not: []string{"base_url"},
	},
	"a deletion that is refused may need another data source": {
		act: "data source", befell: "removed", sets: Object{"data_source_provided_id": "warehouse"},
		methods: map[string]string{"DELETE": "400"}, says: []string{"check data_source_provided_id"},
	},
	"after a stop, the network is no matter": {
		act: "refresh", methods: map[string]string{"": "not connected, stopped"}, says: []string{"Run again."},
		not: []string{"network", "base_url"},
	},
	"after a lost creation and a stop, the import is announced": {
		act: "create", befell: "removed", methods: map[string]string{"": "lost after the work, stopped"},
		says: []string{"already exists, import it"},
	},
	"the target of a redirect is named": {
		act: "refresh", methods: map[string]string{"": "303"}, says: []string{"https://elsewhere.example/api/user"},
	},
}

const rotateOnce = `Then rotate the token again only if it is still the old one: see "When a response is lost" in ` +
	`the guide Tokens.`

// TestSentencesThatWereFalse plays them.
func TestSentencesThatWereFalse(t *testing.T) {
	t.Parallel()
	for name, c := range sentenceCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, emulator.Options{}, nil, c.sets)
				r.begin(actNamed(c.act), befallen[c.befell])
				r.wire.strikes = func(number int, method string) *wireFault {
					for _, name := range []string{c.faults[number], c.methods[method], c.methods[""]} {
						if name == "" {
							continue
						}
						fault := faultNamed(t, name)
						if fault.stops {
							r.stopped = true
							r.p.Stop()
						}
						return fault
					}
					return nil
				}
				said := ""
				for _, s := range r.play(groupIDs[:max(c.ids, 1)]...) {
					said += s.said.String()
					for _, l := range s.check() {
						t.Errorf("%q: %s", l.sentence, l.why)
					}
				}
				for _, text := range c.says {
					if !strings.Contains(said, text) {
						t.Errorf("it does not say %q", text)
					}
				}
				for _, text := range c.not {
					if strings.Contains(said, text) {
						t.Errorf("it says %q", text)
					}
				}
				if t.Failed() {
					t.Log(said)
				}
			})
		})
	}
}

func faultNamed(t *testing.T, name string) *wireFault {
	t.Helper()
	for _, fault := range wireFaults {
		if fault.name == name {
			return fault
		}
	}
	t.Fatalf("there is no fault %q", name)
	return nil
}
