package protocoltest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestOnlyWhatIsManagedIsSent checks that empty arguments are sent, and null ones are not. An update also sends what
// has not changed: a service that takes an update for the whole group would show the difference.
func TestOnlyWhatIsManagedIsSent(t *testing.T) {
	p := start(t, emulator.Options{FirstTeamID: 9007199254740993, Updates: emulator.UpdatesClear})
	state := p.Created(Acme())
	p.WantState(state, "team_id", int64(9007199254740993), "api_environment_tag", nil)
	group := p.Group("acme")
	if group.Name != "Acme" || group.Mapping["sales"] != "db-1" ||
		string(group.Properties) != `{"tier":"gold","rows":10}` {
		t.Errorf("the service has %+v", group)
	}
	config := Acme("name", "New", "properties", nil)
	p.WantSettled(p.Refreshed(p.Updated(state, config)), config)
	if group := p.Group("acme"); group.Name != "New" || group.Mapping["sales"] != "db-1" || group.Properties != nil {
		t.Errorf("after the update, the service has %+v", group)
	}
	p.Created(Object{"user_group_id": "plain", "name": "Plain"})
	if group := p.Group("plain"); group.Mapping != nil || group.Properties != nil {
		t.Errorf("arguments that are not managed were sent: %+v", group)
	}
	p.Created(Object{"user_group_id": "empty", "name": "Empty", "mapping": Object{}, "properties": "{}"})
	if group := p.Group("empty"); group.Mapping == nil || string(group.Properties) != "{}" {
		t.Errorf("empty arguments were not sent: %+v", group)
	}
}

func TestCreateOfAnExistingGroupChangesNothing(t *testing.T) {
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Somebody's", Properties: json.RawMessage(`{"a":1}`)})
	before := p.Service.Groups()
	second(p.Create(Acme())).WantError(alreadyExists, "Nothing was changed", "import block", "adopt_existing = true",
		"another resource block has the same user_group_id", "terraform untaint")
	p.WantCalls("GET")
	p.WantUntouched(before)
}

// With rotate_token_after_days, the age of an adopted token counts from the adoption.
func TestAdoptionUpdatesTheGroupAndWarnsOnce(t *testing.T) {
	p, clock := dated(t, emulator.Options{})
	now := clock.at(day)
	before := p.Service.Seed(emulator.Group{ID: "acme", Name: "Old", Mapping: map[string]string{"x": "y"}})
	config := adopting("rotate_token_after_days", int64(90))
	state, diags := p.Create(config)
	diags.WantWarning(adopted, "updated to match this configuration", "keeps its token",
		"destroying this resource deletes the group")
	p.WantCalls("GET > PUT")
	p.WantTruth(state, "acme")
	p.WantState(state, "api_environment_tag", "Customer", "token", before.Token, "team_id", before.TeamID,
		"token_rotated_at", now)
	if after := p.Group("acme"); after.Name != "Acme" || after.Mapping["sales"] != "db-1" || after.Mapping["x"] != "" {
		t.Errorf("the group does not match the configuration: %+v", after)
	}
	// The warning must not appear again after the adoption.
	p.Updated(p.Refreshed(state), With(config, "name", "New"))
}

// TestCreateWithALostResponseClaimsOnlyItsOwnGroup checks that, after a lost response, the provider claims a group only
// if a lookup by ID alone shows the values that were sent. No response shows a mapping, so the next plan sends it.
func TestCreateWithALostResponseClaimsOnlyItsOwnGroup(t *testing.T) {
	p := start(t, emulator.Options{})
	p.Fault(http.MethodGet, emulator.CutAfterWork)
	state, diags := p.Create(Acme())
	diags.WantWarning(`User group "acme" is assumed to be the one just created`,
		"with the name and any properties that were sent", "in the state", "the next apply sends the mapping again",
		"terraform state rm")
	p.WantCalls("GET > GET > check > GET")
	p.WantTruth(state, "acme")
	plan := p.Plan(p.Refreshed(state), Acme())
	plan.Diags.WantWarning(mayDiffer, "mapping")
	state, _ = p.Apply(plan)
	p.WantCalls("GET > PUT")
	p.WantSettled(state, Acme())

	p.Service.Seed(emulator.Group{ID: "theirs", Name: "Acme", Properties: json.RawMessage(`{"tier":1}`)})
	p.Fault(http.MethodGet, emulator.CutAfterWork)
	second(p.Create(Acme("user_group_id", "theirs"))).WantError(`User group "theirs" may have existed before`,
		`other values for these properties: "tier"`, `does not have these properties: "rows"`, "was not changed",
		"Nothing was added to the state", "import block", "adopt_existing")
}

// The harness checks that failed creations leave no state. What was done is in words_test.go in internal/provider.
func TestFailedCreateSaysWhatWasDone(t *testing.T) {
	inVirtualTime(t, emulator.Options{Updates: emulator.UpdatesMerge}, func(_ *testing.T, p *Provider) {
		p.Service.Seed(emulator.Group{ID: "old", Name: "Old", Properties: json.RawMessage(`{"old":1}`)})
		create := func(id string, fault emulator.Fault) Diags {
			p.Service.ClearFaults()
			p.Service.Fail(fault)
			return second(p.Create(adopting("user_group_id", id)))
		}
		refused := create("new", emulator.Fault{Kind: emulator.Refuse})
		refused.WantError(`Cannot create user group "new"`, "The group was not created.", `"the service refuses this call"`,
			"Fix what the service reports")
		lost := create("new", emulator.Fault{Kind: emulator.HTML200})
		lost.WantError(`Cannot create user group "new"`, "It is not known whether the group was created.", "HTML",
			"Run again", "already exists")
		notAdopted := create("old", emulator.Fault{Method: http.MethodPut, Kind: emulator.Refuse})
		notAdopted.WantError(`Cannot adopt user group "old"`, "was not changed. It is not in the state")
		contradicted := create("old", emulator.Fault{Kind: emulator.Delay})
		contradicted.WantError(`User group "old" was not updated as planned`, `which were not sent: "old"`,
			"was updated, but it is not in the state")
	})
}

// An ID with invisible characters looks like a different customer's.
func TestIDsWithInvisibleCharactersAreRefused(t *testing.T) {
	p := start(t, emulator.Options{})
	const atImport = "Invalid import ID"
	for id, named := range map[string]string{
		"\ufeffacme": "U+FEFF", "ac\u200bme": "U+200B", "acme\u00a0": "U+00A0", "ac\u00adme": "U+00AD", "ac\tme": "U+0009",
		"ac\u202eme": "U+202E", "acme\u3164": "U+3164", "acme\ufe0f": "U+FE0F", "\u2003acme": "U+2003", "acme\n": "U+000A",
		" acme": "space", "acme ": "space", "": "empty",
	} {
		p.Validate(Acme("user_group_id", id)).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.DataSource(ByID(id))).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.Open(ByID(id))).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.Invoke(ByID(id))).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.List(0, false, "a", id)).WantError(invalidID, named, "No call was made")
		second(userGroups(p, "a", id)).WantError(invalidID, named, "No call was made")
		second(p.Importing(id, nil)).WantError(atImport, named, "Nothing was imported")
		second(p.Importing("", ByID(id))).WantError(atImport, named)
	}
	p.WantCalls("")
	for _, id := range []string{"a b", "a/b/../c", "Zoë 顧客 😀", `"quoted" it's`, `back\slash`, "${not} %{a} template"} {
		p.Service.Seed(emulator.Group{ID: id, Name: "x"})
		p.WantTruth(p.Imported(id), id)
	}
}
