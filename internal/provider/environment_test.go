package provider_test

import (
	"fmt"
	"net/http"
	"strings"
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

// TestFailedPreflightEndsTheRun checks that the first operation says why the preflight has failed, and that the others
// refer to it, make no call, and keep the state. Only a refusal does not end the lookups of what is known.
// TestHistories in internal/usergroup proves that no operation changes anything.
func TestFailedPreflightEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refuses string // a call of the preflight; empty for the wrong key
		title   string
		says    []string
		refresh string // the calls of a refresh
	}{
		"wrong key": {title: wrongKeyUsed, says: []string{`"Testing"`, `Customer`, "was not created", "Use an API key"}},
		"refused update": {
			refuses: http.MethodPut, title: "Cannot test the service and the API key", refresh: "GET",
			says: []string{"The preflight", "refuses this call", "was not created", "Fix what the service reports"},
		},
		"refused deletion": {
			refuses: http.MethodDelete, title: `User group %q may remain after a lookup`,
			says: []string{"The preflight", "was not created", "A group with the ID", "Remove an empty group"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := wrongKey(t)
			right := p.AnotherProcess(Object{"api_key": testingKey, "environment": "Testing"})
			state := right.Updated(right.Nothing(), Acme())
			right.Walk().WantNone()
			if test.refuses != "" {
				p.Always(test.refuses, emulator.Refuse)
				p = right
			}
			diags := second(p.ApplyToo(p.PlanToo(p.Nothing(), Acme("user_group_id", "new"))))
			if strings.Contains(test.title, "%q") {
				test.title = fmt.Sprintf(test.title, p.Service.Calls()[len(p.Service.Calls())-1].ID)
			}
			diags.WantError(test.title, test.says...)
			p.Service.ResetCounts()
			second(p.Data(ResourceType, ByID("acme"))).WantError(cannotLookUp,
				"See the earlier error: "+test.title, "No group was changed")
			p.WantCalls("")
			p.WantSame(Silent(p.ReadToo(state)), state)
			p.WantCalls(test.refresh)
		})
	}
}

func TestTheKeyIsTestedOnlyBeforeChanges(t *testing.T) {
	t.Parallel()
	p := wrongKey(t).AnotherProcess(Object{"api_key": testingKey, "environment": "Testing"})
	state := p.Updated(p.Nothing(), Acme())
	p.WantCalls("preflight > GET")
	noted := p.AnotherProcess(Object{"api_key": testingKey}).Refreshed(state) // It proves nothing, and forgets nothing.
	p.WantCalls("GET")
	state = p.Updated(state, Acme("name", "New"))
	p.WantCalls("GET > PUT") // The token that the state knows proves the key.
	p.WantState(state, "api_environment_tag", "Testing")
	p.WantSettled(p.Refreshed(state), Acme("name", "New"))
	p.WantCalls("GET")

	// If the state shows that the group is in another environment, the provider makes no call.
	p = p.AnotherProcess(Object{"api_key": testingKey, "environment": "Customer"})
	p.PlanToo(noted, Acme()).Diags.WantError(elsewhere, `"Customer"`, `"Testing"`)
	p.Walk().WantNone()
	p.PlanToo(state, Acme()).Diags.WantError(elsewhere, `"Customer"`, `"Testing"`, "terraform state rm")
	p.Walk().WantNone()
	p.PlanToo(p.Edited(state, "deletion_protection", true), nil).Diags.WantError(elsewhere, `"Customer"`, `"Testing"`)
	p.Walk().WantNone()
	second(p.ApplyDeletion(state)).WantError(elsewhere, "was not deleted")
	p.WantCalls("")
}

// TestAProvedEnvironmentIsRemembered checks that the state knows the environment of a group once the key is proved,
// although no response about the group has had a tag.
func TestAProvedEnvironmentIsRemembered(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(p, unaware *Provider) State{
		"an import": func(p, _ *Provider) State {
			p.Service.In("Testing").Seed(emulator.Group{ID: "acme", Name: "Acme"})
			return p.Imported("acme")
		},
		"an update that changes nothing": func(p, unaware *Provider) State {
			return p.Updated(p.Edited(unaware.Created(Acme()), "name", "Old"), Acme())
		},
		"a rotation whose response is lost": func(p, unaware *Provider) State {
			state := unaware.Created(Acme())
			p.Fault(http.MethodPost, emulator.CutAfterWork)
			return p.Updated(state, NextQuarter())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys := map[string]string{customerKey: "Customer", testingKey: "Testing"}
			p := start(t, emulator.Options{Environments: keys, CountsChangedRows: true})
			with := func(environment any) *Provider {
				return p.AnotherProcess(Object{"api_key": testingKey, "environment": environment})
			}
			state := begin(with("Testing"), with(nil))
			p.WantState(state, "api_environment_tag", nil)
			with("Customer").Plan(state, Acme()).Diags.WantError(elsewhere, `"Customer"`, `"Testing"`)
		})
	}
}

func TestServiceWithoutEnvironmentsFailsOnlyIfOneIsConfigured(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}})
	state := p.Created(Acme())
	for _, config := range []Object{NextQuarter("name", "New"), Acme()} {
		state = p.Updated(state, config)
		p.WantState(state, "api_environment_tag", nil)
	}
	p = p.AnotherProcess(Object{"environment": "Customer"})
	diags := second(p.Update(state, NextQuarter("name", "New")))
	diags.WantError(wrongKeyUsed, "the service shows none", "was not updated", "remove the argument")
	p.WantGroups("acme")
}

// A wrong API key ends the run once a call that sends no token is refused because of the key.
func TestRefusedKeyEndsTheRun(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	wrong := p.AnotherProcess(Object{"api_key": "wrong-key-4711"})
	p.Service.ResetCounts()
	second(wrong.Read(acme)).WantError(cannotLookUp, "status 401", "Check api_key", "No group was changed")
	// A refresh of another group says nothing, and keeps the state.
	p.WantSame(Silent(wrong.ReadToo(other)), other)
	// A plan makes no call, and the error was said.
	wrong.PlanToo(other, Acme("user_group_id", "other")).Diags.WantNone()
	p.WantCalls("GET")
	second(wrong.Destroy(acme)).WantError(cannotDelete, "status 401", "was not deleted", "Check api_key")
}

// With the key of the other environment, no state takes over the tokens of that environment: its group is another one.
// With the provider's environment set, the preflight finds the wrong key first.
func TestWrongKeyTakesOverNoToken(t *testing.T) {
	t.Parallel()
	p := wrongKey(t)
	right := p.AnotherProcess(Object{"api_key": testingKey, "environment": "Testing"})
	state := right.Updated(right.Nothing(), Acme())
	theirs := p.Service.In("Customer").Seed(emulator.Group{ID: "acme", Name: "Acme"})
	p.Service.ResetCounts()
	after, diags := p.Read(state)
	diags.WantError(wrongKeyUsed, `"Testing"`, "No group was changed")
	p.WantSame(after, state)
	p.WantCalls("GET > preflight")
	// Both the key and the environment can be wrong. The state knows where its group is.
	both := p.AnotherProcess(Object{"api_key": customerKey, "environment": "Customer"})
	p.Service.ResetCounts()
	after, diags = both.Read(state)
	diags.WantError(elsewhere, `"Customer"`, `"Testing"`, "No group was changed")
	p.WantSame(after, state)
	p.WantSame(Silent(both.ReadToo(state)), state) // One error explains it.
	p.WantCalls("")
	// Without an environment, nothing tells a replaced group from a wrong key.
	unaware := p.AnotherProcess(Object{"api_key": customerKey, "environment": nil})
	after, diags = unaware.Read(state)
	diags.WantWarning(replaced, "Check the API key")
	p.WantNoState(after)
	if group, _ := p.Service.In("Customer").Group("acme"); group.Token != theirs.Token {
		t.Error("the other group was changed")
	}
}
