package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Titles of what is said about the group acme.
const (
	adopted         = `User group "acme" was adopted`
	alreadyExists   = `User group "acme" already exists`
	cannotLookUp    = `Cannot look up user group "acme"`
	cannotUpdate    = `Cannot update user group "acme"`
	cannotRotate    = `Cannot rotate the token of user group "acme"`
	cannotDelete    = `Cannot delete user group "acme"`
	mayHaveExisted  = `User group "acme" may have existed before`
	destroyedWanted = `User group "acme" is both managed and destroyed`
	isProtected     = `User group "acme" is protected from deletion`
	notAsPlanned    = `User group "acme" was not updated as planned`
	overwrites      = titleOverwrites
	recreated       = `User group "acme" was recreated`
	replaced        = `User group "acme" has been replaced`
	rotatedAway     = `The token of user group "acme" was rotated elsewhere`
	anotherHasTheID = `Another user group has the ID "acme"`
	elsewhere       = `User group "acme" is in another environment`
	doesNotExist    = `User group "nobody" does not exist`
)

// protocolAdopting is protocolAcme with adopt_existing.
func protocolAdopting(changes ...any) protocolObject {
	return protocolWith(protocolAcme("adopt_existing", true), changes...)
}

// protocolAnswer is an answer about a group that the emulator does not have.
func protocolAnswer(id string, teamID int64, tag string) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":`+
		`{"team_id":%d,"token":"ugt_answer","name":"Acme","provided_id":%q,"api_environment_tag":%q}}`, teamID, id, tag)
}

func TestProtocolCreateSendsWhatIsManaged(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{FirstTeamID: 9007199254740993})
	state := p.created(protocolAcme())
	p.wantState(state, "team_id", int64(9007199254740993), "api_environment_tag", nil)
	group := p.group("acme")
	if group.Name != "Acme" || group.Mapping["sales"] != "db-1" || string(group.Properties) != `{"tier":"gold","rows":10}` {
		t.Errorf("the service has %+v", group)
	}
	p.created(protocolObject{"user_group_id": "plain", "name": "Plain"})
	if group := p.group("plain"); group.Mapping != nil || group.Properties != nil {
		t.Errorf("what is not managed was sent: %+v", group)
	}
	p.created(protocolObject{"user_group_id": "empty", "name": "Empty", "mapping": protocolObject{}, "properties": "{}"})
	if group := p.group("empty"); group.Mapping == nil || string(group.Properties) != "{}" {
		t.Errorf("what is to be empty was not sent: %+v", group)
	}
}

func TestProtocolCreateOfWhatExists(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Somebody's", Properties: json.RawMessage(`{"a":1}`)})
	before := p.service.Groups()
	state, diags := p.create(protocolAcme())
	diags.wantError(alreadyExists, "Nothing was changed", "import block", "adopt_existing = true",
		"another resource block has the same user_group_id", "terraform untaint")
	p.wantCalls("GET")
	p.wantUntouched(before)
	p.wantNoState(state)
}

func TestProtocolAdoption(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	before := p.service.Seed(emulator.Group{ID: "acme", Name: "Old", Mapping: map[string]string{"x": "y"}})
	state, diags := p.create(protocolAdopting())
	diags.wantWarning(adopted, "updated to this configuration", "keeps its token", "destroying this resource deletes the group")
	p.wantCalls("GET > PUT")
	p.wantTruth(state, "acme")
	p.wantState(state, "api_environment_tag", "Customer", "token", before.Token, "team_id", before.TeamID)
	if after := p.group("acme"); after.Name != "Acme" || after.Mapping["sales"] != "db-1" || after.Mapping["x"] != "" {
		t.Errorf("the group did not become what was configured: %+v", after)
	}
	p.wantSettled(state, protocolAdopting())
	// A warning a day would be one too many.
	p.updated(p.refreshed(state), protocolAdopting("name", "New"))
}

// With create_before_destroy the replacement adopts the group, and the engine then deletes the old instance of it.
func TestProtocolAdoptionKeepsTheGroupFromItsOldInstance(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())
	state, diags := p.create(protocolAdopting())
	diags.wantWarning(adopted)
	p.service.ResetCounts()
	gone, diags := p.applyDeletion(old)
	diags.wantWarning(`User group "acme" was kept`, "was not deleted", "moved block")
	p.wantCalls("")
	p.wantNoState(gone)
	p.wantTruth(state, "acme")
	p.wantDestroyed(state)
	p.wantCalls("DELETE")
}

// State with an error is tainted, and the next run would destroy a live customer.
func TestProtocolAdoptionThatFailsWritesNoState(t *testing.T) {
	t.Parallel()
	const title = `Cannot adopt user group "acme"`
	for name, test := range map[string]struct {
		options     emulator.Options
		fault       emulator.Fault
		title, says string
	}{
		"refused":      {fault: emulator.Fault{Kind: emulator.Refuse}, title: title, says: "was not changed. It is"},
		"always cut":   {fault: emulator.Fault{Kind: emulator.CutAfterWork}, title: title, says: "was updated. It is"},
		"another team": {fault: answering(protocolAnswer("acme", 7, "Customer")), title: replaced, says: "team_id 7"},
		"a service that merges": {
			options: emulator.Options{Updates: emulator.UpdatesMerge}, fault: emulator.Fault{Kind: emulator.Delay},
			title: notAsPlanned, says: `which were not sent: "old"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, test.options)
			p.service.Seed(emulator.Group{ID: "acme", Name: "Old", Properties: json.RawMessage(`{"old":1}`)})
			test.fault.Method = http.MethodPut
			p.service.Fail(test.fault)
			state, diags := p.create(protocolAdopting())
			diags.wantError(test.title, test.says, "not in the state")
			p.wantNoState(state)
			p.wantGroups("acme")
		})
	}
}

func answering(body string) emulator.Fault { return emulator.Fault{Kind: emulator.Answer, Body: body} }

// After a lost answer a group is claimed only when the service shows by itself what was sent.
func TestProtocolCreateAfterALostAnswer(t *testing.T) {
	t.Parallel()
	sent := json.RawMessage(`{"tier":"gold","rows":10}`)
	for name, test := range map[string]struct {
		options emulator.Options
		before  *emulator.Group
		claims  bool
	}{
		"shown":            {claims: true},
		"echoed only":      {options: emulator.Options{Answers: emulator.AnswersEcho}},
		"somebody's":       {before: &emulator.Group{ID: "acme", Name: "Somebody's", Properties: sent}},
		"a nameless one":   {before: &emulator.Group{ID: "acme"}},
		"no properties":    {before: &emulator.Group{ID: "acme", Name: "Acme"}},
		"other properties": {before: &emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"tier":1}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, test.options)
			if test.before != nil {
				p.service.Seed(*test.before)
			}
			p.fault(http.MethodGet, emulator.CutAfterWork)
			state, diags := p.create(protocolAcme())
			p.wantFaultsStruck()
			if test.claims {
				diags.wantWarning(`User group "acme" is assumed to be the one just created`, "in the state", "terraform state rm")
				p.wantCalls("GET > GET > GET")
				p.wantTruth(state, "acme")
				p.wantSettled(state, protocolAcme())
				return
			}
			diags.wantError(mayHaveExisted, "was not changed", "not in the state", "import block", "adopt_existing")
			p.wantNoState(state)
			second(p.create(protocolAcme())).wantError(alreadyExists)
			state, diags = p.create(protocolAdopting())
			diags.wantWarning(adopted)
			p.wantTruth(state, "acme")
			if p.service.Deletions("acme")+p.service.Rotations("acme") > 0 {
				t.Error("somebody's group was deleted or rotated")
			}
		})
	}
	p := protocolStart(t, emulator.Options{})
	for _, kind := range []emulator.FaultKind{emulator.CutBefore, emulator.Unavailable503, emulator.TooMany429} {
		p.fault(http.MethodGet, kind)
		p.wantTruth(p.updated(p.nothing(), protocolAcme("user_group_id", kind.String())), kind.String())
	}
}

func TestProtocolCreateFailsInWords(t *testing.T) {
	t.Parallel()
	const no, maybe = "The group was not created.", "It is not known whether the group was created."
	const once, thrice = "GET", "GET > GET > GET"
	unauthorized := answering(`{"success":0,"message":"bad key"}`)
	unauthorized.Status = http.StatusUnauthorized
	for name, test := range map[string]struct {
		fault emulator.Fault
		calls string
		says  []string
	}{
		"refused":      {emulator.Fault{Kind: emulator.Refuse}, once, []string{no, `"the service does not want to"`}},
		"redirected":   {emulator.Fault{Kind: emulator.Redirect307}, once, []string{no, "redirect", "base_url"}},
		"wrong key":    {unauthorized, once, []string{no, "status 401", `"bad key"`, "EMBED_API_KEY"}},
		"success zero": {answering(`{"success":0,"message":"no"}`), once, []string{no, `"no"`}},
		"a secret":     {answering(`{"success":0,"message":"` + emulator.DefaultKey + `"}`), once, []string{no}}, // the harness looks
		"throttled":    {emulator.Fault{Kind: emulator.TooMany429}, thrice, []string{no, "429", "refuses more calls"}},
		"HTML":         {emulator.Fault{Kind: emulator.HTML200}, thrice, []string{maybe, "HTML", "Run again", "already exists"}},
		"nothing":      {answering(""), thrice, []string{maybe}},
		"always cut":   {emulator.Fault{Kind: emulator.CutAfterWork}, thrice, []string{maybe}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			p.service.Fail(test.fault)
			state, diags := p.create(protocolAcme())
			diags.wantError(`Cannot create user group "acme"`, test.says...)
			p.wantCalls(test.calls)
			p.wantNoState(state)
		})
	}
}

// Where the id was not known at plan, nothing was to be seen of a move; what this process has deleted it knows.
func TestProtocolCreateOfWhatThisRunHasDeleted(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())
	deletion := p.plan(old, nil)
	deletion.diags.wantNone()
	creation := p.planToo(p.nothing(), protocolAcme("user_group_id", protocolUnknown))
	creation.diags.wantNone()
	second(p.apply(deletion)).wantNone()
	state, diags := p.applyToo(creation, protocolAcme())
	diags.wantWarning(recreated, "token and team_id are new", "moved block")
	p.wantTruth(state, "acme")
	if state.token() == old.token() {
		t.Error("it is the old group")
	}
	p.updated(state, protocolAcme("name", "New")) // It is said once.
}

func TestProtocolInvalidConfigurations(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	const marker = "plaintext-marker"
	for name, test := range map[string]struct {
		attribute string
		value     any
		title     string
	}{
		"no id":                {"user_group_id", nil, "Missing Configuration for Required Attribute"},
		"empty name":           {"name", "", "Invalid Attribute Value Length"},
		"null in mapping":      {"mapping", protocolObject{"a": nil}, "Null Map Value"},
		"no JSON":              {"properties", marker, "Invalid properties"},
		"array":                {"properties", `["` + marker + `"]`, "Invalid properties"},
		"empty data source id": {"data_source_provided_id", "", "Invalid Attribute Value Length"},
	} {
		diags := p.validate(protocolAcme(test.attribute, test.value))
		diags.wantErrorAt(test.attribute, test.title)
		if strings.Contains(diags.String(), marker) {
			t.Errorf("%s: the value is shown:\n%s", name, diags)
		}
	}
	for name := range protocolAcme() {
		p.validate(protocolAcme(name, protocolUnknown)).wantNone()
	}
	p.validate(protocolAcme("mapping", protocolObject{"a": protocolUnknown}, "rotate_token_when_changed", quarter("a"))).wantNone()
	// What turns out only at apply makes no call either.
	plan := p.plan(p.nothing(), protocolAcme("properties", protocolUnknown))
	state, diags := p.apply(plan, protocolAcme("properties", marker))
	if !diags.hasError() || strings.Contains(diags.String(), marker) {
		t.Errorf("properties that are no JSON at apply: %s", diags)
	}
	p.wantNoState(state)
	p.wantCalls("")
}

// Ids that are another customer than the one they look like are refused, wherever they stand, and the character is named.
func TestProtocolInvisibleCharactersInIDs(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	const title, atImport = "Invalid user_group_id", "Invalid import ID"
	for id, named := range map[string]string{
		"\ufeffacme": "U+FEFF", "ac\u200bme": "U+200B", "acme\u00a0": "U+00A0", "ac\u00adme": "U+00AD", "ac\tme": "U+0009",
		"ac\u202eme": "U+202E", "acme\u3164": "U+3164", "acme\ufe0f": "U+FE0F", "\u2003acme": "U+2003", "acme\n": "U+000A",
		" acme": "space", "acme ": "space", "": "empty",
	} {
		p.validate(protocolAcme("user_group_id", id)).wantErrorAt("user_group_id", title, named, "No call was made")
		second(p.dataSource(byID(id))).wantErrorAt("user_group_id", title, named, "No call was made")
		second(p.open(byID(id))).wantErrorAt("user_group_id", title, named, "No call was made")
		second(p.invoke(byID(id))).wantErrorAt("user_group_id", title, named, "No call was made")
		second(p.list(0, false, "a", id)).wantError(title, named, "No call was made")
		second(p.importing(id, nil)).wantError(atImport, named, "Nothing was imported")
		second(p.importing("", byID(id))).wantError(atImport, named)
	}
	p.wantCalls("")
	for _, id := range []string{"a b", "a/b/../c", "Zoë 顧客 😀", `"quoted" it's`, `back\slash`, "${not} %{a} template"} {
		p.service.Seed(emulator.Group{ID: id, Name: "x"})
		state, diags := p.imported(id)
		diags.wantNone()
		p.wantTruth(state, id)
	}
}
