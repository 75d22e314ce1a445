package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Titles of diagnostics, nearly all of them about the group acme.
const (
	adopted         = `User group "acme" was adopted`
	alreadyExists   = `User group "acme" already exists`
	cannotLookUp    = `Cannot look up user group "acme"`
	cannotUpdate    = `Cannot update user group "acme"`
	cannotRotate    = `Cannot rotate the token of user group "acme"`
	cannotDelete    = `Cannot delete user group "acme"`
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

// protocolAnswer returns the body of a response about a group, with a token that the emulator has never issued.
func protocolAnswer(id string, teamID int64, tag string) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":`+
		`{"team_id":%d,"token":"ugt_answer","name":"Acme","provided_id":%q,"api_environment_tag":%q}}`, teamID, id, tag)
}

func TestProtocolCreateSendsWhatIsManaged(t *testing.T) {
	p := protocolStart(t, emulator.Options{FirstTeamID: 9007199254740993})
	state := p.created(protocolAcme())
	p.wantState(state, "team_id", int64(9007199254740993), "api_environment_tag", nil)
	group := p.group("acme")
	if group.Name != "Acme" || group.Mapping["sales"] != "db-1" ||
		string(group.Properties) != `{"tier":"gold","rows":10}` {
		t.Errorf("the service has %+v", group)
	}
	p.created(protocolObject{"user_group_id": "plain", "name": "Plain"})
	if group := p.group("plain"); group.Mapping != nil || group.Properties != nil {
		t.Errorf("arguments that are not managed were sent: %+v", group)
	}
	p.created(protocolObject{"user_group_id": "empty", "name": "Empty", "mapping": protocolObject{}, "properties": "{}"})
	if group := p.group("empty"); group.Mapping == nil || string(group.Properties) != "{}" {
		t.Errorf("empty arguments were not sent: %+v", group)
	}
}

func TestProtocolCreateOfWhatExists(t *testing.T) {
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
	p := protocolStart(t, emulator.Options{})
	before := p.service.Seed(emulator.Group{ID: "acme", Name: "Old", Mapping: map[string]string{"x": "y"}})
	state, diags := p.create(protocolAdopting())
	diags.wantWarning(adopted, "updated to this configuration", "keeps its token",
		"destroying this resource deletes the group")
	p.wantCalls("GET > PUT")
	p.wantTruth(state, "acme")
	p.wantState(state, "api_environment_tag", "Customer", "token", before.Token, "team_id", before.TeamID)
	if after := p.group("acme"); after.Name != "Acme" || after.Mapping["sales"] != "db-1" || after.Mapping["x"] != "" {
		t.Errorf("the group does not match the configuration: %+v", after)
	}
	p.wantSettled(state, protocolAdopting())
	// The warning must not appear again after the adoption.
	p.updated(p.refreshed(state), protocolAdopting("name", "New"))
}

// TestProtocolAdoptionKeepsTheGroupFromItsOldInstance simulates create_before_destroy. The replacement adopts the
// group, and then the engine deletes the old instance, which has the same group.
func TestProtocolAdoptionKeepsTheGroupFromItsOldInstance(t *testing.T) {
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

func answering(body string) emulator.Fault { return emulator.Fault{Kind: emulator.Answer, Body: body} }

// TestProtocolCreateAfterALostAnswer checks that, after a lost response, the provider claims a group only if a lookup
// by ID alone shows the values that were sent.
func TestProtocolCreateAfterALostAnswer(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	p.fault(http.MethodGet, emulator.CutAfterWork)
	state, diags := p.create(protocolAcme())
	diags.wantWarning(`User group "acme" is assumed to be the one just created`, "in the state", "terraform state rm")
	p.wantCalls("GET > GET > GET")
	p.wantTruth(state, "acme")
	p.wantSettled(state, protocolAcme())

	p.service.Seed(emulator.Group{ID: "theirs", Name: "Acme", Properties: json.RawMessage(`{"tier":1}`)})
	p.fault(http.MethodGet, emulator.CutAfterWork)
	state, diags = p.create(protocolAcme("user_group_id", "theirs"))
	diags.wantError(`User group "theirs" may have existed before`, `other values for these properties: "tier"`,
		`does not have these properties: "rows"`, "was not changed", "not in the state", "import block", "adopt_existing")
	p.wantNoState(state)
}

// TestProtocolCreateThatFails checks that a failed creation leaves no state. Engines taint the state of a failed
// creation, so the next run would destroy the group of a live customer.
func TestProtocolCreateThatFails(t *testing.T) {
	t.Parallel()
	const cannotCreate, cannotAdopt = `Cannot create user group "acme"`, `Cannot adopt user group "acme"`
	const no, maybe = "The group was not created.", "It is not known whether the group was created."
	const once, thrice = "GET", "GET > GET > GET"
	unauthorized := answering(`{"success":0,"message":"bad key"}`)
	unauthorized.Status = http.StatusUnauthorized
	aSecret := answering(`{"success":0,"message":"` + emulator.DefaultKey + `"}`) // The harness looks for it.
	for name, test := range map[string]struct {
		updates      emulator.Updates
		fault        emulator.Fault
		title, calls string
		says         []string
	}{
		"refused": {
			fault: emulator.Fault{Kind: emulator.Refuse}, title: cannotCreate, calls: once,
			says: []string{no, `"the service does not want to"`, "Fix what the service reports"},
		},
		"redirected": {
			fault: emulator.Fault{Kind: emulator.Redirect307}, title: cannotCreate, calls: once,
			says: []string{no, "redirect", "base_url"},
		},
		"wrong key": {
			fault: unauthorized, title: cannotCreate, calls: once,
			says: []string{no, "status 401", `"bad key"`, "EMBED_API_KEY"},
		},
		"a secret": {fault: aSecret, title: cannotCreate, calls: once, says: []string{no}},
		"throttled": {
			fault: emulator.Fault{Kind: emulator.TooMany429}, title: cannotCreate, calls: thrice,
			says: []string{no, "429", "refuses more calls"},
		},
		"HTML": {
			fault: emulator.Fault{Kind: emulator.HTML200}, title: cannotCreate, calls: thrice,
			says: []string{maybe, "HTML", "Run again", "already exists"},
		},
		"adoption refused": {
			fault: emulator.Fault{Method: http.MethodPut, Kind: emulator.Refuse}, title: cannotAdopt, calls: "GET > PUT",
			says: []string{"was not changed. It is not in the state"},
		},
		"adoption always cut": {
			fault: emulator.Fault{Method: http.MethodPut, Kind: emulator.CutAfterWork}, title: cannotAdopt,
			calls: "GET > PUT > PUT > PUT", says: []string{"was updated. It is not in the state"},
		},
		"adoption by a service that merges": {
			updates: emulator.UpdatesMerge, fault: emulator.Fault{Kind: emulator.Delay}, title: notAsPlanned, calls: "GET > PUT",
			says: []string{`which were not sent: "old"`, "was updated, but it is not in the state"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := protocolStart(t, emulator.Options{Updates: test.updates})
			config := protocolAcme()
			if strings.HasPrefix(name, "adoption") {
				p.service.Seed(emulator.Group{ID: "acme", Name: "Old", Properties: json.RawMessage(`{"old":1}`)})
				config = protocolAdopting()
			}
			p.service.Fail(test.fault)
			state, diags := p.create(config)
			diags.wantError(test.title, test.says...)
			p.wantCalls(test.calls)
			p.wantNoState(state)
		})
	}
}

// TestProtocolCreateOfWhatThisRunHasDeleted covers an ID that is unknown in the plan. The plan cannot show that the
// group moves to another address, but the provider remembers which groups it has deleted in this process.
func TestProtocolCreateOfWhatThisRunHasDeleted(t *testing.T) {
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
		t.Error("the group still has the old token")
	}
	p.updated(state, protocolAcme("name", "New")) // The warning appears only once.
}

func TestProtocolInvalidConfigurations(t *testing.T) {
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
			t.Errorf("%s: the diagnostics show the value:\n%s", name, diags)
		}
	}
	for name := range protocolAcme() {
		p.validate(protocolAcme(name, protocolUnknown)).wantNone()
	}
	p.validate(protocolAcme("mapping", protocolObject{"a": protocolUnknown})).wantNone()
	// Properties that become known only at apply must not cause a call either.
	plan := p.plan(p.nothing(), protocolAcme("properties", protocolUnknown))
	state, diags := p.apply(plan, protocolAcme("properties", marker))
	if !diags.hasError() || strings.Contains(diags.String(), marker) {
		t.Errorf("properties that are not JSON at apply: want an error without the value, got: %s", diags)
	}
	p.wantNoState(state)
	p.wantCalls("")
}

// TestProtocolInvisibleCharactersInIDs checks that an ID that looks like a different customer's, because of invisible
// characters, is refused everywhere, and that the error names the character.
func TestProtocolInvisibleCharactersInIDs(t *testing.T) {
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
		p.wantTruth(p.imported(id), id)
	}
}
