package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const protocolCustomerKey, protocolTestingKey = "key-of-customer", "key-of-testing"

// protocolWrongKey is a service with both, and a provider with the key of the one that expects the other.
func protocolWrongKey(t *testing.T) *protocol {
	t.Helper()
	return protocolStartWith(t,
		emulator.Options{Environments: map[string]string{protocolCustomerKey: "Customer", protocolTestingKey: "Testing"}},
		protocolObject{"api_key": protocolCustomerKey, "environment": "Testing"})
}

// With the key of another environment nothing is done, whatever is tried: one check, and from then on no call.
func TestProtocolEnvironmentOfTheWrongKey(t *testing.T) {
	t.Parallel()
	const title = `The API key belongs to another environment`
	says := []string{`"Testing"`, `"Customer"`, "removed it again"}
	right := protocolWrongKey(t).anotherProcess(protocolObject{"api_key": protocolTestingKey, "environment": "Testing"})
	state := right.updated(right.nothing(), protocolAcme())
	right.wantCalls("check > GET")
	state = right.updated(state, protocolWith(protocolAcme(), protocolObject{"name": "New"}))
	right.wantCalls("check > PUT")
	right.wantState(state, protocolObject{"api_environment_tag": "Testing"})
	state = right.refreshed(state)
	right.wantCalls("GET") // A plan without changes costs one call a group and no check.

	p := right.anotherProcess(protocolObject{"api_key": protocolCustomerKey, "environment": "Testing"})
	customer := p.service.In("Customer")
	customer.Seed(emulator.Group{ID: "acme", Name: "Of a customer"})
	before := customer.Groups()
	untagged := state
	untagged.value = protocolValue(p.typ(), protocolWith(state.members(), protocolObject{"api_environment_tag": nil}))
	for name, try := range map[string]func() protocolDiags{
		"create": func() protocolDiags {
			return second(p.applyToo(p.plan(p.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": "new"}))))
		},
		"adopt":  func() protocolDiags { return second(p.applyToo(p.plan(p.nothing(), protocolAdopting()))) },
		"update": func() protocolDiags { return second(p.applyToo(p.plan(untagged, protocolAcme()))) },
		"rotate": func() protocolDiags {
			return second(p.applyToo(p.plan(untagged, protocolNextQuarter(protocolObject{"name": "New"}))))
		},
		"destroy":     func() protocolDiags { return second(p.applyToo(p.plan(untagged, nil))) },
		"refresh":     func() protocolDiags { p.walk(); return second(p.readToo(state)) },
		"data source": func() protocolDiags { p.walk(); return second(p.dataSource(protocolObject{"user_group_id": "acme"})) },
		"import":      func() protocolDiags { return second(p.imported("acme")) },
		"action":      func() protocolDiags { p.walk(); return second(p.invoke(protocolObject{"user_group_id": "acme"})) },
	} {
		p.service.ResetCounts()
		try().wantError(title, says...)
		p.calls()
		// The rest of the run ends in one line each, which points to the first.
		second(p.dataSource(protocolObject{"user_group_id": "another"})).wantError(`User group "another" was left unchanged`, "ended for all groups", title)
		second(p.readToo(state)).wantError(`User group "acme" was left unchanged`, title)
		p.wantCalls("")
		if after := customer.Groups(); len(after) != 1 || after[0].Name != before[0].Name || after[0].Token != before[0].Token {
			t.Errorf("%s: a group of the wrong environment was changed: %v", name, after)
		}
	}
	// Where the state knows the group to be elsewhere, not even the check is made.
	known := p.anotherProcess(protocolObject{"api_key": protocolTestingKey, "environment": "Customer"})
	_, diags := known.update(state, protocolAcme())
	diags.wantError(`User group "acme" is in another environment`, `"Customer"`, `"Testing"`, "was not updated", "terraform state rm")
	_, diags = known.destroy(state)
	diags.wantError(`User group "acme" is in another environment`, "was not deleted")
	known.wantCalls("")
}

// A missing group costs the check once, and a check that fails for another reason is no verdict.
func TestProtocolEnvironmentThatCannotBeChecked(t *testing.T) {
	t.Parallel()
	p := protocolWrongKey(t)
	p.always(http.MethodPut, emulator.TooMany429)
	_, diags := p.create(protocolAcme())
	diags.wantError("Cannot check the service and the API key", "429", "was not created", "removed it again", "requests_per_second")
	p.service.ClearFaults()
	second(p.dataSource(protocolObject{"user_group_id": "acme"})).wantError(`The API key belongs to another environment`)
	if customer := p.service.In("Customer").Groups(); len(customer) > 0 {
		t.Errorf("the check has left %v", customer)
	}
	p.always(http.MethodDelete, emulator.Refuse)
	_, diags = p.create(protocolAcme())
	left := p.service.In("Customer").Groups()[0].ID
	diags.wantError(`User group "`+left+`" was left behind`, "curl -X DELETE", `{"user_group_id":"`+left+`"}`, "was not created")
}

// A service that tells no environment works without the argument; with it there is nothing to hold to.
func TestProtocolEnvironmentNeverTold(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}})
	state := p.created(protocolAcme())
	for _, config := range []protocolObject{protocolNextQuarter(protocolObject{"name": "New"}), protocolAcme()} {
		state = p.updated(state, config)
		p.wantState(state, protocolObject{"api_environment_tag": nil})
		p.wantSettled(state, config)
	}
	p = p.anotherProcess(protocolObject{"environment": "Customer"})
	_, diags := p.update(state, protocolNextQuarter(protocolObject{"name": "New"}))
	diags.wantTitles("The environment of the API key is not known", `User group "acme" was left unchanged`)
	p.wantGroups("acme")
}

// A wrong key ends the run for all others, as soon as a call without a token is refused for it.
func TestProtocolKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	other := p.created(protocolWith(protocolAcme(), protocolObject{"user_group_id": "other"}))
	wrong := p.anotherProcess(protocolObject{"api_key": "wrong-key-4711"})
	wrong.keys = append(wrong.keys, "wrong-key-4711")
	_, diags := wrong.read(state)
	diags.wantError(`Cannot look up user group "acme"`, "status 401", "Check api_key", "Nothing was changed")
	_, diags = wrong.readToo(other)
	diags.wantError(`User group "other" was left unchanged`, `Cannot look up user group "acme"`)
	p.wantCalls("GET")
	_, diags = wrong.destroy(state)
	diags.wantError(`Cannot delete user group "acme"`, "status 401", "was not deleted", "Check api_key")
}

func TestProtocolTagThatChanges(t *testing.T) {
	t.Parallel()
	p := protocolWrongKey(t).anotherProcess(protocolObject{"api_key": protocolCustomerKey, "environment": nil})
	config := protocolWith(protocolAcme(), protocolObject{"name": "New"})
	state := p.updated(p.created(protocolAcme()), config)
	p.service.In("Testing").Seed(emulator.Group{ID: "acme", Name: "Acme", TeamID: state.get("team_id").(int64)})
	other := p.anotherProcess(protocolObject{"api_key": protocolTestingKey})
	_, diags := other.update(state, protocolWith(config, protocolObject{"name": "Newer"}))
	diags.wantError(`User group "acme" is in another environment`, `"Customer"`, `"Testing"`)
}
