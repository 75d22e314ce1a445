package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocolAcme is a configuration with everything that can be managed.
func protocolAcme() protocolObject {
	return protocolObject{
		"user_group_id": "acme", "name": "Acme", "mapping": protocolObject{"sales": "db-1"}, "properties": `{"tier":"gold","rows":10}`,
		"rotate_token_when_changed": protocolObject{"quarter": "Q1"},
	}
}

// protocolAdopting is protocolAcme with adopt_existing.
func protocolAdopting() protocolObject {
	return protocolWith(protocolAcme(), protocolObject{"adopt_existing": true})
}

// protocolAnswer is an answer about a group that the emulator does not have.
func protocolAnswer(id string, teamID int64, tag string) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":{"team_id":%d,"token":"ugt_answer","name":"Acme","provided_id":%q,"api_environment_tag":%q}}`, teamID, id, tag)
}

func TestProtocolCreateSendsWhatIsManaged(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{FirstTeamID: 9007199254740993})
	state := p.created(protocolAcme())
	p.wantState(state, protocolObject{"team_id": int64(9007199254740993), "api_environment_tag": nil})
	if group := p.group("acme"); group.Name != "Acme" || group.Mapping["sales"] != "db-1" || string(group.Properties) != `{"tier":"gold","rows":10}` {
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
	diags.wantError(`User group "acme" already exists`, "Nothing was changed", "import block", "adopt_existing = true",
		"another resource block has the same user_group_id", "terraform untaint")
	p.wantCalls("GET")
	p.wantUntouched(before)
	p.wantNoState(state)
}

func TestProtocolAdoption(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	before := p.service.Seed(emulator.Group{ID: "acme", Name: "Old", Mapping: map[string]string{"x": "y"}, Properties: json.RawMessage(`{"a":1}`)})
	state, diags := p.create(protocolAdopting())
	diags.wantWarning(`User group "acme" was adopted`, "updated to this configuration", "keeps its token", "destroying this resource deletes the group")
	p.wantCalls("GET > PUT")
	p.wantTruth(state, "acme")
	p.wantState(state, protocolObject{"api_environment_tag": "Customer", "token": before.Token, "team_id": before.TeamID})
	if after := p.group("acme"); after.Name != "Acme" || after.Mapping["sales"] != "db-1" || after.Mapping["x"] != "" {
		t.Errorf("the group did not become what was configured: %+v", after)
	}
	p.wantSettled(state, protocolAdopting())
	state = p.refreshed(state) // A warning a day would be one too many.
	p.updated(state, protocolWith(protocolAdopting(), protocolObject{"name": "New"}))
}

// With create_before_destroy the replacement adopts the group, and the engine then deletes the old instance of it.
func TestProtocolAdoptionKeepsTheGroupFromItsOldInstance(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())
	adopted, diags := p.create(protocolAdopting())
	diags.wantWarning(`User group "acme" was adopted`)
	p.service.ResetCounts()
	gone, diags := p.applyDeletion(old)
	diags.wantWarning(`User group "acme" was kept`, "was not deleted", "moved block")
	p.wantCalls("")
	p.wantNoState(gone)
	p.wantTruth(adopted, "acme")

	_, diags = p.destroy(adopted)
	diags.wantNone()
	p.wantCalls("DELETE")
}

// State with an error is tainted, and the next run would destroy a live customer.
func TestProtocolAdoptionThatFailsWritesNoState(t *testing.T) {
	t.Parallel()
	const title = `Cannot adopt user group "acme"`
	tests := map[string]struct {
		options emulator.Options
		fault   emulator.Fault
		title   string
		says    string
	}{
		"refused":    {fault: emulator.Fault{Kind: emulator.Refuse}, title: title, says: "was not changed. It is not in the state"},
		"always cut": {fault: emulator.Fault{Kind: emulator.CutAfterWork}, title: title, says: "not known. It is not in the state"},
		"another team": {
			fault: emulator.Fault{Kind: emulator.Answer, Body: protocolAnswer("acme", 7, "Customer")},
			title: `User group "acme" has been replaced`, says: "team_id 7",
		},
		"a service that merges": {
			options: emulator.Options{Updates: emulator.UpdatesMerge}, fault: emulator.Fault{Kind: emulator.Delay},
			title: `User group "acme" was not updated as planned`, says: `which were not sent: "old"`,
		},
	}
	for name, test := range tests {
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

// After a lost answer a group is claimed only when the service shows by itself what was sent.
func TestProtocolCreateAfterALostAnswer(t *testing.T) {
	t.Parallel()
	const claimed, existed = `User group "acme" is taken for the one just created`, `User group "acme" may have existed before`
	tests := map[string]struct {
		options emulator.Options
		before  *emulator.Group
		warns   string
		fails   string
	}{
		"shown":          {warns: claimed},
		"echoed only":    {options: emulator.Options{Answers: emulator.AnswersEcho}, fails: existed},
		"somebody's":     {before: &emulator.Group{ID: "acme", Name: "Somebody's", Properties: json.RawMessage(`{"tier":"gold","rows":10}`)}, fails: existed},
		"a nameless one": {before: &emulator.Group{ID: "acme"}, fails: existed},
		"other properties": {
			before: &emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"tier":"gold"}`)}, fails: existed,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, test.options)
			if test.before != nil {
				p.service.Seed(*test.before)
			}
			p.fault(http.MethodGet, emulator.CutAfterWork)
			state, diags := p.create(protocolAcme())
			p.wantFaultsStruck()
			if test.warns != "" {
				diags.wantWarning(test.warns, "in the state", "terraform state rm")
				p.wantCalls("GET > GET > GET")
				p.wantTruth(state, "acme")
				p.wantSettled(state, protocolAcme())
				return
			}
			diags.wantError(test.fails, "was not changed", "not in the state", "import block", "adopt_existing")
			p.wantNoState(state)
			_, diags = p.create(protocolAcme())
			diags.wantError(`User group "acme" already exists`)
			state, diags = p.create(protocolAdopting())
			diags.wantWarning(`User group "acme" was adopted`)
			p.wantTruth(state, "acme")
			if p.service.Deletions("acme")+p.service.Rotations("acme") > 0 {
				t.Error("somebody's group was deleted or rotated")
			}
		})
	}
	t.Run("nothing was done", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		for _, kind := range []emulator.FaultKind{emulator.CutBefore, emulator.Unavailable503, emulator.TooMany429} {
			p.fault(http.MethodGet, kind)
			id := kind.String()
			p.wantTruth(p.updated(p.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": id})), id)
		}
	})
}

func TestProtocolCreateFailsInWords(t *testing.T) {
	t.Parallel()
	const no, maybe = "The group was not created.", "Whether the group was created is not known."
	tests := map[string]struct {
		fault emulator.Fault
		calls string
		says  []string
	}{
		"refused":      {emulator.Fault{Kind: emulator.Refuse}, "GET", []string{no, `"the service does not want to"`}},
		"redirected":   {emulator.Fault{Kind: emulator.Redirect307}, "GET", []string{no, "redirect", "base_url"}},
		"wrong key":    {emulator.Fault{Kind: emulator.Answer, Status: 401, Body: `{"success":0,"message":"bad key"}`}, "GET", []string{no, "status 401", `"bad key"`, "EMBED_API_KEY"}},
		"HTML":         {emulator.Fault{Kind: emulator.HTML200}, "GET > GET > GET", []string{maybe, "HTML", "Run again", "already exists"}},
		"nothing":      {emulator.Fault{Kind: emulator.Answer}, "GET > GET > GET", []string{maybe}},
		"always cut":   {emulator.Fault{Kind: emulator.CutAfterWork}, "GET > GET > GET", []string{maybe}},
		"success zero": {emulator.Fault{Kind: emulator.Answer, Body: `{"success":0,"message":"no"}`}, "GET", []string{no, `"no"`}},
		"throttled":    {emulator.Fault{Kind: emulator.TooMany429}, "GET > GET > GET", []string{no, "429", "requests_per_second"}},
		// Which secrets there are, the harness knows.
		"key in the text": {emulator.Fault{Kind: emulator.Answer, Status: 400, Body: `{"success":0,"message":"key ` + emulator.DefaultKey + ` no"}`}, "GET", []string{no, "status 400"}},
	}
	for name, test := range tests {
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

// One id at two new addresses: told at plan, and made for one of them alone.
func TestProtocolOneIDAtTwoNewAddresses(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]protocolObject{"plain": protocolAcme(), "adopting": protocolAdopting()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			first := p.plan(p.nothing(), config)
			first.diags.wantNone()
			second := p.planToo(p.nothing(), config)
			second.diags.wantWarning(`User group "acme" is planned twice`, "fails for the other", "Remove one of the two")
			p.planToo(p.nothing(), protocolWith(config, protocolObject{"user_group_id": "other"})).diags.wantNone()

			state, diags := p.apply(first)
			diags.wantNone()
			none, diags := p.applyToo(second)
			diags.wantError(`User group "acme" already exists`, "Nothing was changed", "another resource block")
			p.wantNoState(none)
			p.wantTruth(state, "acme")
			p.wantCalls("GET > GET")
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
	creation := p.planToo(p.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": protocolUnknown}))
	creation.diags.wantNone()
	_, diags := p.apply(deletion)
	diags.wantNone()
	state, diags := p.applyToo(creation, protocolAcme())
	diags.wantWarning(`User group "acme" was recreated`, "token and team_id are new", "moved block")
	p.wantTruth(state, "acme")
	if state.token() == old.token() {
		t.Error("it is the old group")
	}
	// Only once.
	p.updated(state, protocolWith(protocolAcme(), protocolObject{"name": "New"}))
}

func TestProtocolInvalidConfigurations(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	const marker = "plaintext-marker"
	tests := map[string]struct {
		attribute string
		value     any
		title     string
	}{
		"no id":                {"user_group_id", nil, "Missing Configuration for Required Attribute"},
		"empty name":           {"name", "", "Invalid Attribute Value Length"},
		"null in mapping":      {"mapping", protocolObject{"a": nil}, "Null Map Value"},
		"no JSON":              {"properties", marker, "Invalid properties"},
		"array":                {"properties", `["` + marker + `"]`, "Invalid properties"},
		"null text":            {"properties", "null", "Invalid properties"},
		"empty data source id": {"data_source_provided_id", "", "Invalid Attribute Value Length"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := p.validate(protocolWith(protocolAcme(), protocolObject{test.attribute: test.value}))
			diags.wantErrorAt(test.attribute, test.title)
			if strings.Contains(diags.String(), marker) {
				t.Errorf("the value is shown:\n%s", diags)
			}
		})
	}
	for name := range protocolAcme() {
		p.validate(protocolWith(protocolAcme(), protocolObject{name: protocolUnknown})).wantNone()
	}
	p.validate(protocolWith(protocolAcme(), protocolObject{"mapping": protocolObject{"a": protocolUnknown}, "rotate_token_when_changed": protocolObject{"a": nil}})).wantNone()
	// What turns out only at apply makes no call either.
	plan := p.plan(p.nothing(), protocolWith(protocolAcme(), protocolObject{"properties": protocolUnknown}))
	state, diags := p.apply(plan, protocolWith(protocolAcme(), protocolObject{"properties": marker}))
	if !diags.hasError() || strings.Contains(diags.String(), marker) {
		t.Errorf("properties that are no JSON at apply: %s", diags)
	}
	p.wantNoState(state)
	p.wantCalls("")
}

// protocolInvisible are ids that are another customer than the one they look like, and how the message names the character.
var protocolInvisible = map[string]string{
	"\ufeffacme": "U+FEFF", "ac\u200bme": "U+200B", "acme\u00a0": "U+00A0", "ac\u00adme": "U+00AD", "ac\tme": "U+0009", "acme\n": "U+000A",
	"ac\u202eme": "U+202E", "acme\u3164": "U+3164", "acme\ufe0f": "U+FE0F", "\u2003acme": "U+2003",
	" acme": "space", "acme ": "space", "": "empty",
}

func TestProtocolInvisibleCharactersInIDs(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	for id, named := range protocolInvisible {
		for _, diags := range []protocolDiags{
			p.validate(protocolWith(protocolAcme(), protocolObject{"user_group_id": id})),
			second(p.dataSource(protocolObject{"user_group_id": id})),
			second(p.open(protocolObject{"user_group_id": id})),
			second(p.invoke(protocolObject{"user_group_id": id})),
		} {
			diags.wantErrorAt("user_group_id", "Invalid user_group_id", named, "No call was made")
		}
		second(p.list(protocolObject{"user_group_ids": []string{"a", id}}, 0, false)).wantError("Invalid user_group_id", named, "No call was made")
		second(p.importing(id, nil)).wantError("Invalid import ID", named, "Nothing was imported")
		second(p.importing("", protocolObject{"user_group_id": id})).wantError("Invalid import ID", named)
	}
	second(p.list(protocolObject{"user_group_ids": []any{nil}}, 0, false)).wantError("Null List Value")
	p.wantCalls("")
	for _, id := range []string{"a b", "a/b/../c", "Zoë 顧客 😀", `"quoted" it's`, `back\slash`, "${not} %{a} template", "<b>?x=1#y"} {
		p.service.Seed(emulator.Group{ID: id, Name: "x"})
		state, diags := p.imported(id)
		diags.wantNone()
		p.wantTruth(state, id)
	}
}

func second[First, Second any](_ First, it Second) Second { return it }
