package protocoltest_test

import (
	"fmt"
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

// TestFailedCheckEndsTheRun checks that the first operation says why the check has failed, and that the others refer to
// it, make no call, and keep the state. TestHistories in internal/usergroup proves that no operation changes anything.
func TestFailedCheckEndsTheRun(t *testing.T) {
	t.Parallel()
	for title, test := range map[string]struct {
		refuses string // a call of the check
		says    []string
	}{
		"The API key belongs to another environment": {
			says: []string{`"Testing"`, `"Customer"`, "was not created", "then removed it"},
		},
		"Cannot check the service and the API key": {
			refuses: http.MethodPut,
			says:    []string{"refuses this call", "was not created", "then removed it", "Fix what the service reports"},
		},
		"User group %q may still exist": {
			refuses: http.MethodDelete,
			says:    []string{"was not created", "curl -X DELETE", `{"user_group_id":"terraform-provider-embed-check-`},
		},
	} {
		t.Run(title, func(t *testing.T) {
			p := wrongKey(t)
			right := p.AnotherProcess(Object{"api_key": testingKey, "environment": "Testing"})
			state := right.Updated(right.Nothing(), Acme())
			if test.refuses != "" {
				p.Always(test.refuses, emulator.Refuse)
			}
			diags := second(p.Create(Acme("user_group_id", "new")))
			for _, left := range p.Service.In("Customer").Groups() {
				title = fmt.Sprintf(title, left.ID)
			}
			diags.WantError(title, test.says...)
			p.Service.ResetCounts()
			second(p.DataSource(ByID("acme"))).WantError(`User group "acme" was left unchanged`, "ended the run", title)
			p.WantSame(Silent(p.ReadToo(state)), state)
			p.WantCalls("")
		})
	}
}

func TestRightKeyIsCheckedOnlyBeforeChanges(t *testing.T) {
	p := wrongKey(t).AnotherProcess(Object{"api_key": testingKey, "environment": "Testing"})
	state := p.Updated(p.Nothing(), Acme())
	p.WantCalls("check > GET")
	state = p.Updated(state, Acme("name", "New"))
	p.WantCalls("check > PUT")
	p.WantState(state, "api_environment_tag", "Testing")
	p.WantSettled(p.Refreshed(state), Acme("name", "New"))
	p.WantCalls("GET")

	// If the state shows that the group is in another environment, the provider does not even make the check.
	p = p.AnotherProcess(Object{"api_key": testingKey, "environment": "Customer"})
	second(p.Update(state, Acme())).WantError(elsewhere,
		`"Customer"`, `"Testing"`, "was not updated", "terraform state rm")
	second(p.Destroy(state)).WantError(elsewhere, "was not deleted")
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
