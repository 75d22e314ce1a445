package protocoltest_test

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

const customerKey, testingKey = "key-of-customer", "key-of-testing"

// wrongKey returns a provider for a service with two environments. The provider has the key of one
// environment and expects the other.
func wrongKey(t *testing.T) *Provider {
	t.Helper()
	both := map[string]string{customerKey: "Customer", testingKey: "Testing"}
	p := start(t, emulator.Options{Environments: both})
	return p.AnotherProcess(Object{"api_key": customerKey, "environment": "Testing"})
}

// TestKeyOfAnotherEnvironmentChangesNothing checks that no operation changes anything with the key of another
// environment. The provider makes one check, and no call after it. With the right key, a process makes one check, too.
func TestKeyOfAnotherEnvironmentChangesNothing(t *testing.T) {
	const title = `The API key belongs to another environment`
	p := wrongKey(t)
	right := p.AnotherProcess(Object{"api_key": testingKey, "environment": "Testing"})
	state := right.Updated(right.Nothing(), Acme())
	right.WantCalls("check > GET")
	untold := state
	state = right.Updated(state, Acme("name", "New"))
	right.WantCalls("check > PUT")
	right.WantState(state, "api_environment_tag", "Testing")
	state = right.Refreshed(state)
	right.WantCalls("GET") // A plan without changes costs one call per group and no check.
	right.Walk().WantNone()
	Silent(right.DataSource(ByID("acme")))
	if calls := right.Service.Calls(); len(calls) != 6 {
		t.Errorf("want a check of five calls and a lookup, got %v", calls)
	}
	right.WantCalls("check > GET")
	Silent(right.Open(ByID("acme")))
	right.WantCalls("GET")

	customer := p.Service.In("Customer")
	was := customer.Seed(emulator.Group{ID: "acme", Name: "Of a customer"})
	for name, try := range map[string]func() Diags{
		"create":  func() Diags { return second(p.Create(Acme("user_group_id", "new"))) },
		"adopt":   func() Diags { return second(p.Create(adopting())) },
		"update":  func() Diags { return second(p.Update(untold, Acme("name", "New"))) },
		"rotate":  func() Diags { return second(p.Update(untold, NextQuarter())) },
		"destroy": func() Diags { return second(p.Destroy(untold)) },
		"refresh": func() Diags { return second(p.Read(state)) },
		"import":  func() Diags { p.Walk().WantNone(); return second(p.ImportToo("acme")) },
		"data":    func() Diags { p.Walk().WantNone(); return second(p.DataSource(ByID("acme"))) },
		"action":  func() Diags { p.Walk().WantNone(); return second(p.Invoke(ByID("acme"))) },
	} {
		try().WantError(title, `"Testing"`, `"Customer"`, "then removed it")
		p.Service.ResetCounts()
		// Every other operation of the run fails with a short error that refers to the first one.
		second(p.DataSource(ByID("other"))).WantError(`User group "other" was left unchanged`, "ended the run", title)
		p.WantSame(Silent(p.ReadToo(state)), state)
		p.WantCalls("")
		if now, _ := customer.Group("acme"); now.Name != was.Name || now.Token != was.Token || len(customer.Groups()) != 1 {
			t.Errorf("%s: a group of the wrong environment was changed: %v", name, customer.Groups())
		}
	}
	// If the state shows that the group is in another environment, the provider does not even make the check.
	known := p.AnotherProcess(Object{"api_key": testingKey, "environment": "Customer"})
	second(known.Update(state, Acme())).WantError(elsewhere,
		`"Customer"`, `"Testing"`, "was not updated", "terraform state rm")
	second(known.Destroy(state)).WantError(elsewhere, "was not deleted")
	known.WantCalls("")
}

// Either the service refuses the check, or it does not delete the group of the check.
func TestFailedCheckEndsTheRun(t *testing.T) {
	p := wrongKey(t)
	p.Always(http.MethodPut, emulator.Refuse)
	second(p.Create(Acme())).WantError("Cannot check the service and the API key",
		"refuses this call", "was not created", "then removed it", "Fix what the service reports")
	p.Service.ClearFaults()
	p.Service.ResetCounts()
	second(p.DataSource(ByID("acme"))).WantError(`User group "acme" was left unchanged`, "Cannot check the service")
	p.WantCalls("")
	if customer := p.Service.In("Customer").Groups(); len(customer) > 0 {
		t.Errorf("the check left groups behind: %v", customer)
	}
	p = p.AnotherProcess(Object{"api_key": customerKey, "environment": "Testing"})
	p.Always(http.MethodDelete, emulator.Refuse)
	diags := second(p.Create(Acme()))
	left := p.Service.In("Customer").Groups()[0].ID
	diags.WantError(`User group "`+left+`" may still exist`,
		"curl -X DELETE", `{"user_group_id":"`+left+`"}`, "was not created")
	p.Service.ResetCounts()
	second(p.DataSource(ByID("acme"))).WantError(`User group "acme" was left unchanged`, "may still exist")
	p.WantCalls("")
}

func TestServiceWithoutEnvironmentsFailsOnlyIfOneIsConfigured(t *testing.T) {
	p := start(t, emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}})
	state := p.Created(Acme())
	for _, config := range []Object{NextQuarter("name", "New"), Acme()} {
		state = p.Updated(state, config)
		p.WantState(state, "api_environment_tag", nil)
	}
	p = p.AnotherProcess(Object{"environment": "Customer"})
	diags := second(p.Update(state, NextQuarter("name", "New")))
	p.Diagnostics(diags.List[:1]).WantError("The environment of the API key is not known")
	p.Diagnostics(diags.List[1:]).WantError(cannotRotate)
	p.WantGroups("acme")
}

// A wrong API key ends the run once a call that sends no token is refused because of the key.
func TestRefusedKeyEndsTheRun(t *testing.T) {
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	wrong := p.AnotherProcess(Object{"api_key": "wrong-key-4711"})
	p.Service.ResetCounts()
	second(wrong.Read(acme)).WantError(cannotLookUp, "status 401", "Check api_key", "No group was changed")
	// A refresh of another group says nothing, and keeps the state.
	p.WantSame(Silent(wrong.ReadToo(other)), other)
	p.WantCalls("GET")
	second(wrong.Destroy(acme)).WantError(cannotDelete, "status 401", "was not deleted", "Check api_key")
}
