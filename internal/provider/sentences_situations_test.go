package provider_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// A situation is an operation, what somebody else has done before, the kind of service and run, and what happens to a
// request on its way. TestSentences plays all of them, TestSentencesThatWereFalse those in which a message once misled.

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

// both are the API keys of two environments.
var both = emulator.Options{Environments: map[string]string{customerKey: "Customer", testingKey: "Testing"}}

// settings are kinds of runs: the arguments with which the groups were created, and those of the run.
var settings = map[string]struct {
	options          emulator.Options
	right, arguments Object
}{
	"":              {},
	"environment, ": {both, Object{"api_key": testingKey, "environment": "Testing"}, nil},
	"wrong key, ": {
		both, Object{"api_key": testingKey, "environment": "Testing"}, Object{"api_key": customerKey},
	},
	"with a data source, ":  {arguments: Object{"data_source_provided_id": "warehouse"}},
	"echoes, ":              {options: emulator.Options{Answers: emulator.AnswersEcho}},
	"forgiving deletions, ": {options: emulator.Options{ForgivingDeletes: true, ReuseTeamIDs: true}},
	"late, ":                {options: emulator.Options{DefaultName: "Unnamed", LateDefaults: true, StaleUpdates: true}},
	"cut names, ":           {options: emulator.Options{CutNames: 4}},
	"other tokens, ":        {options: emulator.Options{DerivedTokens: true, RenewingUpdates: true}},
}

const page = "<html><head><title>Gateway</title></head><body>Something went wrong.</body></html>"

func says(success int) string {
	return fmt.Sprintf(`{"success":%d,"message":"the service says no"}`, success)
}

var errCut = errors.New("the connection was cut")

type faults []*wireFault

// wireFaults are all that can happen to a request. Where a response leaves open whether the work was done, there are
// two faults that look the same: one with the work and one without.
var wireFaults = faults{
	{name: "lost before the work", respond: broken(errCut)},
	{name: "lost after the work", does: atOnce, respond: broken(errCut)},
	{name: "no response", respond: silence},
	{name: "no response, work done", does: atOnce, respond: silence},
	{name: "no response, work done later", does: later, respond: silence},
	{name: "400", respond: responds(400, says(0))},
	{name: "400 page", respond: responds(400, page)},
	{name: "401", respond: responds(401, says(0))},
	{name: "402", respond: responds(402, says(0))},
	{name: "403", respond: responds(403, says(0))},
	{name: "403 page", respond: responds(403, page)},
	{name: "403 with Retry-After", respond: responds(403, says(0), "Retry-After", "1")},
	{name: "404", respond: responds(404, says(0))},
	{name: "404 without success", respond: responds(404, `{"detail":"not found"}`)},
	{name: "404 page", respond: responds(404, page)},
	{name: "407", respond: responds(407, page)},
	{name: "409", respond: responds(409, says(0))},
	{name: "410", respond: responds(410, says(0))},
	{name: "423", respond: responds(423, says(0))},
	{name: "429", respond: responds(429, says(0))},
	{name: "success 0", respond: responds(200, says(0))},
	{name: "408", respond: responds(408, page)},
	{name: "408, work done", does: atOnce, respond: responds(408, page)},
	{name: "500", respond: responds(500, `{"error":"no"}`)},
	{name: "500, work done", does: atOnce, respond: responds(500, `{"error":"no"}`)},
	{name: "502", respond: responds(502, page)},
	{name: "502, work done", does: atOnce, respond: responds(502, page)},
	{name: "503", respond: responds(503, says(0))},
	{name: "503, work done", does: atOnce, respond: responds(503, page)},
	{name: "504", respond: responds(504, page)},
	{name: "504, work done", does: atOnce, respond: responds(504, page)},
	{name: "504, work done later", does: later, respond: responds(504, page)},
	{name: "sign-in page", respond: responds(200, page)},
	{name: "sign-in page, work done", does: atOnce, respond: responds(200, page)},
	{name: "303", respond: responds(303, "", "Location", "https://elsewhere.example/api/user")},
	{
		name: "303, work done", does: atOnce, spares: "GET",
		respond: responds(303, "", "Location", "https://elsewhere.example/done"),
	},
	{name: "from a cache", respond: responds(200, says(1), "Age", "60")},
	{name: "from a cache, work done", does: atOnce, spares: "GET", respond: responds(200, says(1), "Age", "60")},
	{name: "without token", does: atOnce, respond: edited(member("token", nil))},
	{name: "without name", does: atOnce, isClear: true, respond: edited(member("name", nil))},
	{
		name: "without new_user_group", always: true, does: atOnce,
		respond: edited(func(d, _ Object) { delete(d, "new_user_group") }),
	},
	{name: "without false", does: atOnce, isClear: true, respond: edited(func(d, _ Object) {
		if d["new_user_group"] == false {
			delete(d, "new_user_group")
		}
	})},
	{name: "400 that repeats the request", respond: repeating},
	{name: "without group", does: atOnce, respond: edited(func(d, _ Object) { delete(d, "user_group") })},
	{name: "another group", does: atOnce, respond: edited(theirs)},
	{name: "another number", does: atOnce, respond: edited(member("team_id", json.Number("4711")))},
	{name: "another token", does: atOnce, spares: "POST", respond: edited(member("token", "ugt_unheard_of"))},
	{
		name: "another environment", does: atOnce, isClear: true,
		respond: edited(member("api_environment_tag", "Elsewhere")),
	},
	{name: "the sent token", does: atOnce, respond: withSentToken},
	{name: "another name", spares: "GET", does: atOnce, isClear: true, respond: edited(member("name", "Somebody"))},
	{name: "another ID in capitals", does: atOnce, respond: edited(func(_, group Object) {
		if id, isText := group["provided_id"].(string); isText {
			group["provided_id"] = strings.ToUpper(id)
		}
	})},
	{name: "other properties", spares: "GET", does: atOnce, isClear: true, respond: edited(func(_, group Object) {
		if group["properties"] != nil {
			group["properties"] = Object{"tier": "other"}
		}
	})},
	{name: "stopped", stops: true, does: atOnce, isClear: true},
	{name: "not connected", early: true, respond: broken(errors.New("dial tcp: connection refused"))},
	{
		name: "not connected, stopped", stops: true, early: true,
		respond: broken(errors.New("dial tcp: connection refused")),
	},
	{name: "lost before the work, stopped", stops: true, respond: broken(errCut)},
	{name: "lost after the work, stopped", stops: true, does: atOnce, respond: broken(errCut)},
	{name: "503, stopped", stops: true, respond: responds(503, says(0))},
	{name: "certificate", early: true, respond: broken(&tls.CertificateVerificationError{
		Err: x509.UnknownAuthorityError{},
	})},
	{name: "no TLS", early: true, respond: broken(tls.RecordHeaderError{Msg: "first record does not look like TLS"})},
}

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
