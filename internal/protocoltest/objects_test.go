package protocoltest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestTokenAndDataSourceMakeOneLookup checks that opening and reading make one lookup, and that a missing group is an
// error that leaves nothing behind. The data source has the token only if it is to be stored.
func TestTokenAndDataSourceMakeOneLookup(t *testing.T) {
	p := start(t, emulator.Options{})
	group := p.Service.Seed(emulator.Group{
		ID: "acme", Name: "Acme", Properties: json.RawMessage(` { "b" : 1.0, "a": null }`), TeamID: 9007199254740993,
	})
	before := p.Service.Groups()
	want := Object{
		"user_group_id": "acme", "team_id": group.TeamID,
		"token": group.Token, "token_fingerprint": Fingerprint(group.Token),
	}
	opened, diags := p.Open(ByID("acme"))
	diags.WantNone()
	p.WantObject(opened, want)
	want = With(want, "store_token", nil, "id", "acme", "name", "Acme", "properties", `{"a":null,"b":1}`)
	for _, changes := range []Object{{}, {"store_token": false, "token": nil}} {
		read, diags := p.DataSource(With(ByID("acme"), "store_token", changes["store_token"]))
		diags.WantNone()
		p.WantObject(read, With(want, changes))
	}
	p.WantCalls("GET > GET > GET")
	second(p.Open(ByID("nobody"))).WantError(doesNotExist, "then removed it")
	second(p.DataSource(ByID("nobody"))).WantError(doesNotExist, "then removed it")
	p.WantUntouched(before)
}

// TestActionRotatesOnce checks that the action rotates once, even if a response is lost, and that its progress shows
// the fingerprint and not the token.
func TestActionRotatesOnce(t *testing.T) {
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	progress, diags := p.Invoke(ByID("acme"))
	diags.WantNone()
	p.WantCalls("GET > POST")
	if len(progress) != 2 || !strings.Contains(progress[0], `Rotating the token of user group "acme"`) ||
		!strings.Contains(progress[1], Fingerprint(p.Group("acme").Token)) || !strings.Contains(progress[1], "next refresh") {
		t.Errorf("the progress was %q", progress)
	}
	if strings.Contains(strings.Join(progress, ""), "ugt_") {
		t.Errorf("the progress shows a token: %q", progress)
	}
	p.Fault(http.MethodPost, emulator.CutAfterWork)
	progress, diags = p.Invoke(ByID("acme"))
	diags.WantNone()
	last := progress[len(progress)-1]
	if got := p.Service.Rotations("acme"); got != 1 || !strings.Contains(last, Fingerprint(p.Group("acme").Token)) {
		t.Errorf("after a lost response: %d rotations, and the progress is %q", got, progress)
	}
	p.Always(http.MethodPost, emulator.Refuse)
	progress, diags = p.Invoke(ByID("acme"))
	diags.WantError(cannotRotate, "was not rotated")
	if len(progress) != 1 {
		t.Errorf("the progress of the failed action is %q", progress)
	}
	before := p.Service.Groups()
	_, diags = p.Invoke(ByID("nobody"))
	diags.WantError(doesNotExist, "was not rotated", "then removed it")
	p.WantUntouched(before)
}

// TestListLeavesOutMissingGroups checks that a list has each existing group once, in the given order, up to the limit,
// and that no missing group is left behind.
func TestListLeavesOutMissingGroups(t *testing.T) {
	t.Parallel()
	for answers, display := range map[emulator.Answers]string{
		emulator.AnswersStored: "Name of %[1]s (%[1]s)", emulator.AnswersEcho: "%s",
	} {
		p := another(t, emulator.Options{Answers: answers})
		for _, id := range []string{"c", "a", "b"} {
			p.Service.Seed(emulator.Group{ID: id, Name: "Name of " + id, Properties: json.RawMessage(`{"z":1,"a":2}`)})
		}
		before := p.Service.Groups()
		ids := []string{"c", "nobody", "b", "c", "nobody", "a"}
		listed, diags := p.List(100, false, ids...)
		diags.WantNone()
		var want []Listed
		for _, id := range []string{"c", "b", "a"} {
			want = append(want, Listed{fmt.Sprintf(display, id), id, nil})
		}
		if !reflect.DeepEqual(listed, want) {
			t.Errorf("listed %v, want %v", listed, want)
		}
		wantLookups(p, 3, 1)
		listed, diags = p.List(2, true, ids...)
		diags.WantNone()
		wantLookups(p, 2, 1)
		if len(listed) != 2 || listed[1].ID != "b" {
			t.Errorf("the list limited to two is %v", listed)
		}
		group := p.Group("c")
		resource := Object{
			"user_group_id": "c", "id": "c", "team_id": group.TeamID,
			"token": nil, "token_fingerprint": Fingerprint(group.Token),
		}
		if answers == emulator.AnswersStored {
			resource["name"], resource["properties"] = "Name of c", `{"a":2,"z":1}`
		}
		for attribute, value := range resource {
			if got := listed[0].Resource[attribute]; got != value {
				t.Errorf("%s is %v, want %v", attribute, got, value)
			}
		}
		p.WantUntouched(before)
	}
}

// TestListEndsWithTheEngine checks that no lookup begins once the engine has stopped reading, since each could create
// and delete a group, and that those under way leave nothing behind.
func TestListEndsWithTheEngine(t *testing.T) {
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "a", Name: "A"})
	before := p.Service.Groups()
	ids := []string{"a"}
	for i := range 100 {
		ids = append(ids, fmt.Sprint("nobody-", i))
	}
	config := Value(p.Schema.ListResourceSchemas[ResourceType].ValueType(), Object{"user_group_ids": ids})
	stream, err := p.Server.ListResource(t.Context(),
		&tfprotov6.ListResourceRequest{TypeName: ResourceType, Config: p.Encode(config)})
	p.Must(err)
	for range stream.Results {
		break
	}
	lookedUp := map[string]bool{}
	for _, call := range p.Service.Calls() {
		if !IsCheck(call) {
			lookedUp[call.ID] = true
		}
	}
	if len(lookedUp) > 20 {
		t.Errorf("%d groups were looked up for one result", len(lookedUp))
	}
	p.WantUntouched(before)
}

// TestListContinuesAfterAFailedLookup checks that a list reports a failed lookup and continues. List checks that errors
// come last.
func TestListContinuesAfterAFailedLookup(t *testing.T) {
	inVirtualTime(t, emulator.Options{}, func(t *testing.T, p *Provider) {
		for _, id := range []string{"a", "b"} {
			p.Service.Seed(emulator.Group{ID: id, Name: id})
		}
		p.Service.Seed(emulator.Group{ID: "c", Name: "C"})
		// The service may still carry out a lost lookup of a missing group.
		p.Service.Fail(emulator.Fault{Method: http.MethodGet, ID: "nobody", Nth: 1, Kind: emulator.CutBefore})
		listed, diags := p.List(0, false, "nobody", "b")
		diags.WantWarning(doesNotExist,
			"an empty group will appear", "In that case, if there should be no group with this ID", "curl -X DELETE")
		if len(listed) != 1 || listed[0].ID != "b" {
			t.Errorf("listed %v", listed)
		}

		p.Service.Fail(emulator.Fault{Method: http.MethodGet, ID: "a", Kind: emulator.Refuse})
		listed, diags = p.List(0, true, "a", "c")
		diags.WantError(`Cannot look up user group "a"`, "refuses this call")
		if len(listed) != 1 || listed[0].ID != "c" {
			t.Errorf("listed %v", listed)
		}
		// From the refusal on, lookups send a name, so the name of this group may be that of an empty one.
		listed, diags = p.List(0, true, "b")
		diags.WantWarning(`User group "b" may be empty`, "If nobody uses it")
		if len(listed) != 1 || listed[0].ID != "b" {
			t.Errorf("listed %v", listed)
		}
		listed, diags = p.List(0, true)
		diags.WantNone()
		if len(listed) > 0 {
			t.Errorf("listed %v", listed)
		}
	})
}

// TestTokenFingerprintFunctionMatchesTheState checks that the function computes the fingerprint that the state has, and
// refuses an empty token.
func TestTokenFingerprintFunctionMatchesTheState(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	call := func(token string) *tfprotov6.CallFunctionResponse {
		argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, token))
		p.Must(err)
		answer, err := p.Server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "token_fingerprint", Arguments: []*tfprotov6.DynamicValue{&argument},
		})
		p.Must(err)
		return answer
	}
	answer := call(state.Token())
	if got := Plain(p.Decode(tftypes.String, answer.Result)); got != state.Get("token_fingerprint") {
		t.Errorf("got %v and the error %v, want %v", got, answer.Error, state.Get("token_fingerprint"))
	}
	refused := call("").Error
	if refused == nil || !strings.Contains(refused.Text, "string length must be at least 1") ||
		refused.FunctionArgument == nil || *refused.FunctionArgument != 0 {
		t.Errorf("the error for an empty token is %+v", refused)
	}
}
