package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const protocolGroups = "embed_user_groups"

func protocolIDs(ids ...string) protocolObject {
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = id
	}
	return protocolObject{"user_group_ids": values}
}

// TestProtocolUserGroups checks that an existing group costs one call and a missing one three, that at most
// lookupsAtATime groups are looked up concurrently, and that no group is left behind.
func TestProtocolUserGroups(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	var all, existing, missing []string
	for i := range 120 {
		id := fmt.Sprintf("customer-%03d", i)
		all = append(all, id)
		if i%3 == 0 {
			existing = append(existing, id)
			p.service.Seed(emulator.Group{ID: id, Name: "Customer"})
		} else {
			missing = append(missing, id)
		}
	}
	before := p.service.Groups()
	var atATime, most atomic.Int64
	p.service.BeforeCall(func(emulator.Call) {
		now := atATime.Add(1)
		defer atATime.Add(-1)
		time.Sleep(time.Millisecond) // so that concurrent calls overlap
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
	})
	log := p.logged()
	got, diags := p.data(protocolGroups, protocolIDs(all...))
	diags.wantNone()
	for name, want := range map[string][]string{"existing_ids": existing, "missing_ids": missing} {
		var told []string
		for _, id := range got[name].([]any) {
			told = append(told, id.(string))
		}
		slices.Sort(told)
		if !slices.Equal(told, want) {
			t.Errorf("%s are %v, want %v", name, told, want)
		}
	}
	if most.Load() > lookupsAtATime || most.Load() < 2 {
		t.Errorf("at most %d calls were concurrent", most.Load())
	}
	calls := map[string]int{}
	for _, call := range p.service.Calls() {
		if !strings.HasPrefix(call.ID, "terraform-provider-embed-check-") {
			calls[call.Method]++
		}
	}
	want := map[string]int{http.MethodGet: len(existing) + 2*len(missing), http.MethodDelete: len(missing)}
	if !maps.Equal(calls, want) {
		t.Errorf("the calls were %v", calls)
	}
	p.wantUntouched(before)
	for _, progress := range []string{"Looked up 50 of 120", "Looked up 120 of 120"} {
		if !strings.Contains(log.text.String(), progress) {
			t.Errorf("the log does not say %q", progress)
		}
	}
}

func TestProtocolUserGroupsOfNoIDs(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	got, diags := p.data(protocolGroups, protocolIDs())
	diags.wantNone()
	if len(got["existing_ids"].([]any)) != 0 || len(got["missing_ids"].([]any)) != 0 {
		t.Errorf("got %v", got)
	}
	p.wantCalls("")
	p.fault(http.MethodGet, emulator.CutBefore)
	_, diags = p.data(protocolGroups, protocolIDs("nobody"))
	diags.wantWarning(doesNotExist, "An earlier attempt was lost", "an empty group appears")
	p.service.ResetCounts()
	_, diags = p.data(protocolGroups, protocolIDs("acme", ""))
	diags.wantError(titleUserGroupIDInvalid, "must not be empty")
	p.wantCalls("")
}

// TestProtocolUserGroupsThatFail checks that a failure with the same cause for all groups is reported once, and that
// it stops further lookups.
func TestProtocolUserGroupsThatFail(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	p.always("", emulator.Refuse)
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = fmt.Sprint("customer-", i)
	}
	_, diags := p.data(protocolGroups, protocolIDs(ids...))
	if len(diags.list) != 1 || !strings.HasPrefix(diags.list[0].Summary, "Cannot look up user group") ||
		!strings.Contains(diags.list[0].Detail, "does not want to") {
		t.Errorf("want one error, got %v", diags)
	}
	if calls := len(p.service.Calls()); calls > 4*lookupsAtATime {
		t.Errorf("%d calls were made, although the service refuses all of them", calls)
	}
	_, diags = p.anotherProcess(protocolObject{"api_key": protocolUnknown}).data(protocolGroups, protocolIDs("acme"))
	diags.wantError(titleNotConfigured)
}

func TestProtocolTokenFingerprint(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	for token, want := range map[string]any{state.token(): state.get("token_fingerprint"), "": nil} {
		argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, token))
		p.must(err)
		answer, err := p.server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "token_fingerprint", Arguments: []*tfprotov6.DynamicValue{&argument},
		})
		p.must(err)
		switch {
		case want == nil && (answer.Error == nil || strings.Contains(answer.Error.Text, "fingerprint of")):
			t.Errorf("the error for an empty token is %v", answer.Error)
		case want != nil && protocolPlain(p.decode(tftypes.String, answer.Result)) != want:
			t.Errorf("got %v, want %v", answer, want)
		}
	}
}
