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

// protocolReadings are all ways to read what the service's contract leaves open.
func protocolReadings() map[string]emulator.Options {
	readings := map[string]emulator.Options{}
	for bits := range 32 {
		bit := func(n int) int { return bits >> n & 1 }
		name := fmt.Sprintf("echo=%d merge=%d name_required=%d success_zero=%d upsert=%d", bit(0), bit(1), bit(2), bit(3), bit(4))
		readings[name] = emulator.Options{
			Answers: emulator.Answers(bit(0)), Updates: emulator.Updates(bit(1)), NameRequired: bit(2) == 1,
			Refusals: emulator.Refusals(bit(3)), UpsertOnPut: bit(4) == 1,
		}
	}
	return readings
}

func TestProtocolLifeInEveryReading(t *testing.T) {
	t.Parallel()
	for name, options := range protocolReadings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, options)
			step := func(state protocolState, changes protocolObject, calls string) protocolState {
				t.Helper()
				config := protocolWith(protocolAcme(), changes)
				state, diags := p.update(state, config)
				diags.wantNone()
				p.wantCalls(calls)
				p.wantTruth(state, "acme")
				p.wantSettled(state, config)
				state = p.refreshed(state)
				p.wantTruth(state, "acme")
				p.wantSettled(state, config)
				p.service.ResetCounts()
				return state
			}
			state := step(p.nothing(), nil, "GET")
			state = step(state, protocolObject{"name": "Acme Ltd"}, "PUT")
			state = step(state, protocolObject{"name": "Acme Ltd", "rotate_token_when_changed": protocolObject{"quarter": "Q2"}}, "POST")
			state = step(state, protocolObject{"rotate_token_when_changed": protocolObject{"quarter": "Q3"}}, "PUT+POST")
			p.wantState(state, protocolObject{"api_environment_tag": "Customer"})

			p.service.Remove("acme")
			gone := p.refreshed(state)
			if !gone.value.IsNull() {
				t.Errorf("a group that is gone is still in the state: %v", gone.members())
			}
			if left := p.service.Groups(); len(left) > 0 {
				t.Errorf("looking made a group: %v", left)
			}
			gone, diags := p.destroy(state)
			diags.wantNone()
			if left := p.service.Groups(); len(left) > 0 || !gone.value.IsNull() {
				t.Errorf("destroying what is gone left %v and the state %v", left, gone.members())
			}
		})
	}
}

func TestProtocolCreateSendsWhatIsManaged(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{FirstTeamID: 9007199254740993})
	state := p.created(protocolAcme())
	p.wantState(state, protocolObject{"team_id": int64(9007199254740993), "api_environment_tag": nil})
	group, _ := p.service.Group("acme")
	if group.Name != "Acme" || group.Mapping["sales"] != "db-1" || string(group.Properties) != `{"tier":"gold","rows":10}` {
		t.Errorf("the service has %+v", group)
	}
	p.created(protocolObject{"user_group_id": "plain", "name": "Plain"})
	p.created(protocolObject{"user_group_id": "empty", "name": "Empty", "mapping": protocolObject{}, "properties": "{}"})
	if group, _ = p.service.Group("plain"); group.Mapping != nil || group.Properties != nil {
		t.Errorf("what is not managed was sent: %+v", group)
	}
	if group, _ = p.service.Group("empty"); group.Mapping == nil || string(group.Properties) != "{}" {
		t.Errorf("what is to be empty was not sent: %+v", group)
	}
}

func TestProtocolCreateOfWhatExists(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	before := p.service.Seed(emulator.Group{ID: "acme", Name: "Somebody's", Properties: json.RawMessage(`{"a":1}`)})
	state, diags := p.create(protocolAcme())
	diags.wantError(`User group "acme" already exists`, "nothing was changed", "import block", "adopt_existing = true")
	p.wantCalls("GET")
	if after, _ := p.service.Group("acme"); after.Name != before.Name || after.Token != before.Token || !state.value.IsNull() {
		t.Errorf("the refusal changed %+v to %+v, state %v", before, after, state.members())
	}
}

func TestProtocolAdoption(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	before := p.service.Seed(emulator.Group{ID: "acme", Name: "Old", Mapping: map[string]string{"x": "y"}, Properties: json.RawMessage(`{"a":1}`)})
	config := protocolWith(protocolAcme(), protocolObject{"adopt_existing": true})
	state, diags := p.create(config)
	diags.wantWarning(`User group "acme" was adopted`, "updated to this configuration", "Its token was kept", "destroying this resource deletes the group")
	p.wantCalls("GET+PUT")
	p.wantTruth(state, "acme")
	p.wantState(state, protocolObject{"api_environment_tag": "Customer", "token": before.Token, "team_id": before.TeamID})
	if after, _ := p.service.Group("acme"); after.Name != "Acme" || after.Mapping["sales"] != "db-1" || after.Mapping["x"] != "" {
		t.Errorf("the group did not become what was configured: %+v", after)
	}
	p.wantSettled(state, config)
	state = p.refreshed(state) // A warning a day would be one too many.
	_, diags = p.update(state, protocolWith(config, protocolObject{"name": "New"}))
	diags.wantNone()
}

func TestProtocolAdoptionKeepsTheGroupFromItsOldInstance(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())
	adopted, diags := p.create(protocolWith(protocolAcme(), protocolObject{"adopt_existing": true}))
	diags.wantWarning(`User group "acme" was adopted`)
	p.service.ResetCounts()
	gone, diags := p.apply(p.plan(old, nil))
	diags.wantWarning(`User group "acme" was kept`, "was not deleted", "moved block")
	p.wantCalls("")
	if !gone.value.IsNull() {
		t.Error("the old instance is still in the state")
	}
	p.wantTruth(adopted, "acme")

	another := p.anotherProcess(nil)
	_, diags = another.destroy(adopted)
	diags.wantNone()
	another.wantCalls("DELETE")
}

func TestProtocolAdoptionThatFailsWritesNoState(t *testing.T) {
	t.Parallel()
	const title = `Cannot adopt user group "acme"`
	faults := map[string]struct {
		fault emulator.Fault
		title string
		says  string
	}{
		"refused":      {emulator.Fault{Kind: emulator.Refuse}, title, "not changed. It is not in the state"},
		"always 503":   {emulator.Fault{Kind: emulator.Unavailable503}, title, "not known. It is not in the state"},
		"always cut":   {emulator.Fault{Kind: emulator.CutAfterWork}, title, "not known. It is not in the state"},
		"HTML":         {emulator.Fault{Kind: emulator.HTML200}, title, "HTML"},
		"another team": {emulator.Fault{Kind: emulator.Answer, Body: protocolAnswer("acme", 7, "Customer")}, `User group "acme" has been replaced`, "team_id 7"},
		"another id":   {emulator.Fault{Kind: emulator.Answer, Body: protocolAnswer("other", 7, "Customer")}, `The service answered about another group than "acme"`, "other"},
	}
	for name, test := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			p.service.Seed(emulator.Group{ID: "acme", Name: "Old"})
			test.fault.Method = http.MethodPut
			p.service.Fail(test.fault)
			state, diags := p.create(protocolWith(protocolAcme(), protocolObject{"adopt_existing": true}))
			diags.wantError(test.title, test.says)
			if !state.value.IsNull() {
				t.Errorf("there is a state, which would be tainted, and the group destroyed: %v", state.members())
			}
			if _, exists := p.service.Group("acme"); !exists {
				t.Error("the group is gone")
			}
		})
	}
	t.Run("a service that merges", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{Updates: emulator.UpdatesMerge})
		p.service.Seed(emulator.Group{ID: "acme", Properties: json.RawMessage(`{"old":1}`)})
		state, diags := p.create(protocolWith(protocolAcme(), protocolObject{"adopt_existing": true}))
		diags.wantError(title, `still has the properties that were not sent "old"`, "not in the state")
		if !state.value.IsNull() {
			t.Error("there is a state")
		}
	})
}

// protocolAnswer is an answer about a group that the emulator does not have.
func protocolAnswer(id string, teamID int64, tag string) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":{"team_id":%d,"token":"ugt_answer","name":"Acme","provided_id":%q,"api_environment_tag":%q}}`, teamID, id, tag)
}

func TestProtocolCreateAfterALostAnswer(t *testing.T) {
	t.Parallel()
	for _, kind := range []emulator.FaultKind{
		emulator.CutAfterWork, emulator.Error500AfterWork, emulator.HalfDocument, emulator.CutInDocument,
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			p.fault(http.MethodGet, kind)
			state, diags := p.create(protocolAcme())
			diags.wantWarning(`User group "acme" exists after a lost answer and is taken for ours`, "most likely created it", "terraform state rm")
			p.wantCalls("GET+GET")
			p.wantTruth(state, "acme")
			p.wantSettled(state, protocolAcme())
			if p.wantFaultsStruck(); len(p.service.Groups()) != 1 {
				t.Errorf("there are %d groups", len(p.service.Groups()))
			}
		})
	}
	// Where nothing was done, or the answer told at least that the group was made, there is nothing to warn of.
	for _, kind := range []emulator.FaultKind{emulator.CutBefore, emulator.Unavailable503, emulator.TooMany429, emulator.NoToken} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			p.fault(http.MethodGet, kind)
			state, diags := p.create(protocolAcme())
			diags.wantNone()
			p.wantTruth(state, "acme")
			p.wantFaultsStruck()
		})
	}
	t.Run("somebody else's", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		p.service.Seed(emulator.Group{ID: "acme", Name: "Somebody's"})
		p.fault(http.MethodGet, emulator.CutAfterWork)
		state, diags := p.create(protocolAcme())
		diags.wantError(`User group "acme" may have existed before`, "Nothing was changed", "import block", "adopt_existing")
		if !state.value.IsNull() {
			t.Error("there is a state")
		}
	})
	t.Run("never an answer", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		p.service.Fail(emulator.Fault{Kind: emulator.CutAfterWork})
		state, diags := p.create(protocolAcme())
		diags.wantError(`Cannot create user group "acme"`, "not known whether the group was created", "Run again", `"acme" already exists`)
		if !state.value.IsNull() {
			t.Error("there is a state")
		}
	})
}

func TestProtocolCreateFailsInWords(t *testing.T) {
	t.Parallel()
	const title = `Cannot create user group "acme"`
	tests := map[string]struct {
		fault emulator.Fault
		calls string
		says  []string
	}{
		"refused":       {emulator.Fault{Kind: emulator.Refuse}, "GET", []string{"was not created"}},
		"redirected":    {emulator.Fault{Kind: emulator.Redirect307}, "GET", []string{"redirect", "base_url", "was not created"}},
		"wrong key":     {emulator.Fault{Kind: emulator.Answer, Status: 401, Body: `{"success":0,"message":"bad key"}`}, "GET", []string{"status 401", `"bad key"`, "EMBED_API_KEY", "was not created"}},
		"HTML":          {emulator.Fault{Kind: emulator.HTML200}, "GET+GET+GET", []string{"HTML", "not known whether"}},
		"nothing":       {emulator.Fault{Kind: emulator.Answer}, "GET+GET+GET", []string{"not known whether"}},
		"no success":    {emulator.Fault{Kind: emulator.Answer, Body: `{}`}, "GET+GET+GET", []string{"success is missing", "not known whether"}},
		"success zero":  {emulator.Fault{Kind: emulator.Answer, Body: `{"success":0,"message":"no"}`}, "GET", []string{`"no"`, "was not created"}},
		"throttled":     {emulator.Fault{Kind: emulator.TooMany429}, "GET+GET+GET", []string{"429", "requests_per_second", "was not created"}},
		"token in text": {emulator.Fault{Kind: emulator.Answer, Status: 400, Body: `{"success":0,"message":"key ` + emulator.DefaultKey + ` no"}`}, "GET", []string{"status 400"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			p.service.Fail(test.fault)
			state, diags := p.create(protocolAcme())
			diags.wantError(title, test.says...)
			p.wantCalls(test.calls)
			if !state.value.IsNull() {
				t.Error("there is a state")
			}
		})
	}
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
		"empty id":             {"user_group_id", "", "Invalid user_group_id"},
		"space before":         {"user_group_id", " acme", "Invalid user_group_id"},
		"space after":          {"user_group_id", "acme\u00a0", "Invalid user_group_id"},
		"control character":    {"user_group_id", "ac\tme", "Invalid user_group_id"},
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
	p.wantCalls("")
}
