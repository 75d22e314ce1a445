package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const protocolCustomerKey, protocolTestingKey = "key-of-customer", "key-of-testing"

// protocolWrongKey returns a provider for a service with two environments. The provider has the key of one
// environment and expects the other.
func protocolWrongKey(t *testing.T) *protocol {
	t.Helper()
	both := map[string]string{protocolCustomerKey: "Customer", protocolTestingKey: "Testing"}
	p := protocolStart(t, emulator.Options{Environments: both})
	return p.anotherProcess(protocolObject{"api_key": protocolCustomerKey, "environment": "Testing"})
}

// TestProtocolEnvironmentOfTheWrongKey checks that no operation changes anything with the key of another environment.
// The provider makes one check, and no call after it.
func TestProtocolEnvironmentOfTheWrongKey(t *testing.T) {
	const title = `The API key belongs to another environment`
	p := protocolWrongKey(t)
	right := p.anotherProcess(protocolObject{"api_key": protocolTestingKey, "environment": "Testing"})
	state := right.updated(right.nothing(), protocolAcme())
	right.wantCalls("check > GET")
	untold := state
	state = right.updated(state, protocolAcme("name", "New"))
	right.wantCalls("check > PUT")
	right.wantState(state, "api_environment_tag", "Testing")
	state = right.refreshed(state)
	right.wantCalls("GET") // A plan without changes costs one call per group and no check.

	customer := p.service.In("Customer")
	was := customer.Seed(emulator.Group{ID: "acme", Name: "Of a customer"})
	for name, try := range map[string]func() protocolDiags{
		"create":  func() protocolDiags { return second(p.create(protocolAcme("user_group_id", "new"))) },
		"adopt":   func() protocolDiags { return second(p.create(protocolAdopting())) },
		"update":  func() protocolDiags { return second(p.update(untold, protocolAcme("name", "New"))) },
		"rotate":  func() protocolDiags { return second(p.update(untold, protocolNextQuarter())) },
		"destroy": func() protocolDiags { return second(p.destroy(untold)) },
		"refresh": func() protocolDiags { return second(p.read(state)) },
		"import":  func() protocolDiags { return second(p.importAndRead("acme")) },
		"data":    func() protocolDiags { p.walk().wantNone(); return second(p.dataSource(byID("acme"))) },
		"action":  func() protocolDiags { p.walk().wantNone(); return second(p.invoke(byID("acme"))) },
	} {
		try().wantError(title, `"Testing"`, `"Customer"`, "removed it again")
		p.service.ResetCounts()
		// Every other operation of the run fails with a short error that refers to the first one.
		second(p.dataSource(byID("other"))).wantError(`User group "other" was left unchanged`, "ended for all groups", title)
		second(p.readToo(state)).wantError(`User group "acme" was left unchanged`, title)
		p.wantCalls("")
		if now, _ := customer.Group("acme"); now.Name != was.Name || now.Token != was.Token || len(customer.Groups()) != 1 {
			t.Errorf("%s: a group of the wrong environment was changed: %v", name, customer.Groups())
		}
	}
	// If the state shows that the group is in another environment, the provider does not even make the check.
	known := p.anotherProcess(protocolObject{"api_key": protocolTestingKey, "environment": "Customer"})
	second(known.update(state, protocolAcme())).wantError(elsewhere,
		`"Customer"`, `"Testing"`, "was not updated", "terraform state rm")
	second(known.destroy(state)).wantError(elsewhere, "was not deleted")
	known.wantCalls("")
}

// TestProtocolEnvironmentThatCannotBeChecked checks that a check that fails for another reason decides nothing and is
// made again.
func TestProtocolEnvironmentThatCannotBeChecked(t *testing.T) {
	p := protocolWrongKey(t)
	p.always(http.MethodPut, emulator.Refuse)
	second(p.create(protocolAcme())).wantError("Cannot check the service and the API key",
		"does not want to", "was not created", "removed it again", "Fix what the service reports")
	p.service.ClearFaults()
	second(p.dataSource(byID("acme"))).wantError(`The API key belongs to another environment`)
	if customer := p.service.In("Customer").Groups(); len(customer) > 0 {
		t.Errorf("the check left groups behind: %v", customer)
	}
	p.always(http.MethodDelete, emulator.Refuse)
	diags := second(p.create(protocolAcme()))
	left := p.service.In("Customer").Groups()[0].ID
	diags.wantError(`User group "`+left+`" was left behind`,
		"curl -X DELETE", `{"user_group_id":"`+left+`"}`, "was not created")
}

// TestProtocolEnvironmentNeverTold covers a service that never returns an environment. It works without the argument
// environment. With it, operations fail, because the provider cannot check the environment.
func TestProtocolEnvironmentNeverTold(t *testing.T) {
	p := protocolStart(t, emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}})
	state := p.created(protocolAcme())
	for _, config := range []protocolObject{protocolNextQuarter("name", "New"), protocolAcme()} {
		state = p.updated(state, config)
		p.wantState(state, "api_environment_tag", nil)
		p.wantSettled(state, config)
	}
	p = p.anotherProcess(protocolObject{"environment": "Customer"})
	diags := second(p.update(state, protocolNextQuarter("name", "New")))
	diags.wantErrors("The environment of the API key is not known", `User group "acme" was left unchanged`)
	p.wantGroups("acme")
}

// TestProtocolKeyThatIsRefused checks that a wrong API key ends the run for all groups, once a call that sends no
// token is refused because of the key.
func TestProtocolKeyThatIsRefused(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	acme, other := p.created(protocolAcme()), p.created(protocolAcme("user_group_id", "other"))
	wrong := p.anotherProcess(protocolObject{"api_key": "wrong-key-4711"})
	wrong.keys = append(wrong.keys, "wrong-key-4711")
	p.service.ResetCounts()
	second(wrong.read(acme)).wantError(cannotLookUp, "status 401", "Check api_key", "Nothing was changed")
	second(wrong.readToo(other)).wantError(`User group "other" was left unchanged`, cannotLookUp)
	p.wantCalls("GET")
	second(wrong.destroy(acme)).wantError(cannotDelete, "status 401", "was not deleted", "Check api_key")
}
