package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestOnlyWhatIsManagedIsSent checks that empty arguments are sent, and null ones are not. An update also sends what
// has not changed: a service that takes an update for the whole group would show the difference.
func TestOnlyWhatIsManagedIsSent(t *testing.T) {
	t.Parallel()
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

// The next groups of the same run that exist already refer to the first one.
func TestCreateOfAnExistingGroupChangesNothing(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Somebody's", Properties: json.RawMessage(`{"a":1}`)})
	p.Service.Seed(emulator.Group{ID: "b", Name: "B"})
	p.Service.Seed(emulator.Group{ID: "c", Name: "C"})
	before := p.Service.Groups()
	second(p.Create(Acme())).WantError(alreadyExists, "Nothing was changed", "import it", "adopt_existing = true",
		"another resource has the same user_group_id", "If the group was just deleted", "run again in a minute")
	p.WantCalls("GET")
	p.Walk().WantNone()
	second(p.ApplyToo(p.PlanToo(p.Nothing(), Acme()))).WantError(alreadyExists, "import it")
	for _, id := range []string{"b", "c"} {
		diags := second(p.ApplyToo(p.PlanToo(p.Nothing(), Acme("user_group_id", id))))
		diags.WantError(fmt.Sprintf("User group %q already exists", id), "Nothing was changed",
			"See the earlier error: "+alreadyExists)
		if len(diags.List[0].Detail) > 200 {
			t.Errorf("the next explanation is as long as the first:\n%s", diags)
		}
	}
	p.WantUntouched(before)
}

// With rotate_token_after_days, the age of an adopted token counts from the adoption.
func TestAdoptionUpdatesTheGroupAndWarnsOnce(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(t *testing.T, p *Provider) {
		now := passed(0)
		before := p.Service.Seed(emulator.Group{ID: "acme", Name: "Old", Mapping: map[string]string{"x": "y"}})
		config := adopting("rotate_token_after_days", int64(90))
		state, diags := p.Create(config)
		diags.WantWarning(adopted, "updated to match this configuration", "did not rotate its token",
			"destroying this resource deletes the group")
		p.WantCalls("GET > GET > PUT")
		p.WantTruth(state, "acme")
		p.WantState(state, "api_environment_tag", "Customer", "token", before.Token, "team_id", before.TeamID)
		if at := state.Get("token_rotated_at").(string); at <= now || at > passed(0) {
			t.Errorf("the token is adopted at %s", at)
		}
		if after := p.Group("acme"); after.Name != "Acme" || after.Mapping["sales"] != "db-1" || after.Mapping["x"] != "" {
			t.Errorf("the group does not match the configuration: %+v", after)
		}
		// The warning must not appear again after the adoption.
		p.Updated(p.Refreshed(state), With(config, "name", "New"))

		// Without that argument, the age of the token is unknown. Properties that a service merges show up as drift.
		p.Service.Seed(emulator.Group{ID: "other", Name: "Old"})
		state, diags = p.Create(adopting("user_group_id", "other"))
		diags.WantWarning(adopted)
		p.WantState(state, "token_rotated_at", nil)
	})
}

// TestCreateWithALostResponseClaimsOnlyItsOwnGroup checks that, after a lost response, the provider claims a group only
// if a lookup by ID alone shows the values that were sent. No response shows a mapping, so the next plan sends it.
func TestCreateWithALostResponseClaimsOnlyItsOwnGroup(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	p.Fault(http.MethodGet, emulator.CutAfterWork)
	state, diags := p.Create(Acme())
	diags.WantWarning(`User group "acme" is assumed to be the one just created`,
		"the name and properties that were sent", "in the state", "terraform state rm")
	p.WantCalls("GET > GET > GET")
	p.WantTruth(state, "acme")
	plan := p.Plan(p.Refreshed(state), Acme())
	plan.Diags.WantWarning(mayDiffer, "mapping")
	state, _ = p.Apply(plan)
	p.WantCalls("GET > PUT")
	p.WantSettled(p.Refreshed(state), Acme())

	p.Service.Seed(emulator.Group{ID: "theirs", Name: "Acme", Properties: json.RawMessage(`{"tier":1,"rows":10}`)})
	p.Fault(http.MethodGet, emulator.CutAfterWork)
	second(p.Create(Acme("user_group_id", "theirs"))).WantError(`User group "theirs" may have existed before`,
		`These properties differ: ["tier"]`, "was not changed", "Nothing was added to the state", "import it",
		"adopt_existing")
}

// The harness checks that failed creations leave no state.
func TestFailedCreateSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Updates: emulator.UpdatesMerge}, func(t *testing.T, p *Provider) {
		p.Service.Seed(emulator.Group{ID: "old", Name: "Old", Properties: json.RawMessage(`{"old":1}`)})
		create := func(id string, fault emulator.Fault) (State, Diags) {
			p.Service.ClearFaults()
			p.Service.Fail(fault)
			return p.Apply(p.Plan(p.Nothing(), adopting("user_group_id", id)))
		}
		second(create("new", emulator.Fault{Kind: emulator.Refuse})).WantError(`Cannot create user group "new"`,
			"The group was not created.", `"the service refuses this call"`, "Fix what the service reports")
		second(create("new", emulator.Fault{Kind: emulator.HTML200})).WantError(`Cannot create user group "new"`,
			"It is not known whether the group was created.", "not a JSON object", "Sign in", "base_url")
		second(create("old", emulator.Fault{Method: http.MethodPut, Kind: emulator.Refuse})).WantError(
			`Cannot adopt user group "old"`, "was not updated. It is not in the state", "Fix what the service reports")

		// Terraform would destroy a tainted resource, so an adoption that the service has not taken as sent succeeds.
		state, diags := create("old", emulator.Fault{Kind: emulator.Delay})
		p.Diagnostics(diags.List[:1]).WantWarning(notAsPlanned, `differ: ["old"]`)
		p.Diagnostics(diags.List[1:]).WantWarning(adopted)
		config := adopting("user_group_id", "old")
		if plan := p.Plan(p.Refreshed(state), config); plan.Action != "update" {
			t.Errorf("the plan is to %s, although the service has kept a property", plan.Action)
		}
	})
}

// An ID with invisible characters looks like a different customer's.
func TestIDsWithInvisibleCharactersAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	const atImport = "Invalid import ID"
	unready := p.AnotherProcess(Object{"base_url": Unknown})
	for id, named := range map[string]string{
		"\ufeffacme": "U+FEFF", "ac\u200bme": "U+200B", "acme\u00a0": "U+00A0", "ac\u00adme": "U+00AD", "ac\tme": "U+0009",
		"ac\u202eme": "U+202E", "acme\u3164": "U+3164", "acme\ufe0f": "U+FE0F", "\u2003acme": "U+2003", "acme\n": "U+000A",
		" acme": "space", "acme ": "space", "": "empty",
	} {
		p.Validate(Acme("user_group_id", id)).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.Data(ResourceType, ByID(id))).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.Open(ByID(id))).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.Invoke(ByID(id))).WantErrorAt("user_group_id", invalidID, named, "No call was made")
		second(p.List(0, false, "a", id)).WantError(invalidID, named, "No call was made")
		second(userGroups(p, "a", id)).WantError(invalidID, named, "No call was made")
		second(p.Importing(id, nil)).WantError(atImport, named, "Nothing was imported")
		second(p.Importing("", ByID(id))).WantError(atImport, named)
		second(unready.Importing(id, nil)).WantError(atImport, named)
	}
	p.WantCalls("")
	for _, id := range []string{"a b", "a/b/../c", "Zoë 顧客 😀", `"quoted" it's`, `back\slash`, "${not} %{a} template"} {
		p.Service.Seed(emulator.Group{ID: id, Name: "x"})
		p.WantTruth(p.Imported(id), id)
	}
}

// TestAdoptionBelievesNoTokenOfTheUpdate: a mask, or a token from before a rotation, must not get into the state.
func TestAdoptionBelievesNoTokenOfTheUpdate(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(t *testing.T, p *Provider) {
		shown := p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
		shown.Token = "ugt_masked"
		body := strings.Replace(creationResponse(shown), `"new_user_group":true,`, "", 1)
		p.Service.Fail(emulator.Fault{Method: http.MethodPut, Nth: 1, Kind: emulator.Answer, Body: body})
		state, diags := p.Apply(p.Plan(p.Nothing(), adopting()))
		diags.WantWarning(adopted)
		if state.Token() != p.Group("acme").Token {
			t.Errorf("the state has the token %s", state.Token())
		}
	})
}
