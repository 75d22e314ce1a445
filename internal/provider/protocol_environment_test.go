package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const protocolCustomerKey, protocolTestingKey = "key-of-customer", "key-of-testing"

func protocolTwoEnvironments(answers emulator.Answers) emulator.Options {
	return emulator.Options{Answers: answers, Environments: map[string]string{protocolCustomerKey: "Customer", protocolTestingKey: "Testing"}}
}

// With environment = "Testing" and the key of the other environment, nothing stays done.
func TestProtocolEnvironmentGuard(t *testing.T) {
	t.Parallel()
	const title = `User group "acme" is in another environment`
	says := []string{`"Testing"`, `"Customer"`, "API key"}
	for _, answers := range []emulator.Answers{emulator.AnswersStored, emulator.AnswersEcho} {
		p := protocolStartWith(t, protocolTwoEnvironments(answers), protocolObject{"api_key": protocolCustomerKey, "environment": "Testing"})
		customer, testing := p.service.In("Customer"), p.service.In("Testing")

		state, diags := p.create(protocolAcme())
		diags.wantError(title, append(says, "nothing is left of it")...)
		p.wantCalls("GET+PUT+DELETE")
		if !state.value.IsNull() || len(customer.Groups())+len(testing.Groups()) > 0 {
			t.Errorf("it left the state %v and %v", state.members(), customer.Groups())
		}

		right := p.anotherProcess(protocolObject{"api_key": protocolTestingKey, "environment": "Testing"})
		state, diags = right.create(protocolAcme())
		diags.wantNone()
		right.wantCalls("GET+PUT")
		right.wantState(state, protocolObject{"api_environment_tag": "Testing"})
		right.wantSettled(state, protocolAcme())

		// The same id lives in both environments, and the keys get mixed up later.
		customer.Seed(emulator.Group{ID: "acme", Name: "Of a customer"})
		before := customer.Groups()
		_, diags = p.update(state, protocolNextQuarter(protocolObject{"name": "New"}))
		if !diags.hasError() || p.service.Rotations("acme") > 0 {
			t.Errorf("the run went on in the wrong environment:\n%s", diags)
		}
		_, diags = p.update(state, protocolNextQuarter(nil))
		if !diags.hasError() {
			t.Error("a token was rotated in the wrong environment")
		}
		_, diags = p.destroy(state)
		if after := customer.Groups(); !diags.hasError() || len(after) != 1 || after[0].Token != before[0].Token {
			t.Errorf("a group of the wrong environment was deleted or rotated: %v\n%s", after, diags)
		}
	}
}

func TestProtocolEnvironmentGuardOnAdoption(t *testing.T) {
	t.Parallel()
	p := protocolStartWith(t, protocolTwoEnvironments(emulator.AnswersStored), protocolObject{"api_key": protocolCustomerKey, "environment": "Testing"})
	customer := p.service.In("Customer")
	customer.Seed(emulator.Group{ID: "acme", Name: "Of a customer"})
	before := customer.Groups()
	state, diags := p.create(protocolWith(protocolAcme(), protocolObject{"adopt_existing": true}))
	diags.wantError(`User group "acme" is in another environment`, `"Testing"`, `"Customer"`)
	if after := customer.Groups(); len(after) != 1 || after[0].Name != before[0].Name || after[0].Properties != nil || !state.value.IsNull() {
		t.Errorf("a group of the wrong environment was taken over: %+v", after)
	}
	right := p.anotherProcess(protocolObject{"api_key": protocolCustomerKey, "environment": "Customer"})
	state, diags = right.create(protocolWith(protocolAcme(), protocolObject{"adopt_existing": true}))
	diags.wantWarning(`User group "acme" was adopted`)
	right.wantState(state, protocolObject{"api_environment_tag": "Customer"})
}

func TestProtocolEnvironmentGuardThatCannotCleanUp(t *testing.T) {
	t.Parallel()
	p := protocolStartWith(t, protocolTwoEnvironments(emulator.AnswersStored), protocolObject{"api_key": protocolCustomerKey, "environment": "Testing"})
	p.service.Fail(emulator.Fault{Method: http.MethodDelete, Kind: emulator.Refuse})
	_, diags := p.create(protocolAcme())
	diags.wantError(`User group "acme" was left behind`, "curl -X DELETE", `{"user_group_id":"acme"}`)
}

// A service without tags cannot be guarded, and works.
func TestProtocolEnvironmentNeverTold(t *testing.T) {
	t.Parallel()
	options := emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}}
	for _, environment := range []any{nil, "Testing"} {
		p := protocolStartWith(t, options, protocolObject{"environment": environment})
		state := p.created(protocolAcme())
		for _, config := range []protocolObject{protocolNextQuarter(protocolObject{"name": "New"}), protocolAcme()} {
			var diags protocolDiags
			state, diags = p.update(state, config)
			diags.wantNone()
			p.wantState(state, protocolObject{"api_environment_tag": nil})
			p.wantSettled(state, config)
		}
	}
}

func TestProtocolTagThatChanges(t *testing.T) {
	t.Parallel()
	p := protocolStartWith(t, protocolTwoEnvironments(emulator.AnswersStored), protocolObject{"api_key": protocolCustomerKey})
	state := p.created(protocolAcme())
	config := protocolWith(protocolAcme(), protocolObject{"name": "New"})
	state, diags := p.update(state, config)
	diags.wantNone()
	p.service.In("Testing").Seed(emulator.Group{ID: "acme", Name: "Acme", TeamID: state.get("team_id").(int64)})
	other := p.anotherProcess(protocolObject{"api_key": protocolTestingKey})
	_, diags = other.update(state, protocolWith(config, protocolObject{"name": "Newer"}))
	diags.wantError(`User group "acme" is in another environment`, `"Customer"`, `"Testing"`)
}
