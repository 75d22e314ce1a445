package provider

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

const protocolGroups = "embed_user_groups"

func protocolIDs(ids ...string) protocolObject {
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = id
	}
	return protocolObject{"user_group_ids": values}
}

// TestProtocolUserGroups checks that an existing group costs one call and a missing one three, and that no group is
// left behind.
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
	calls := map[string]int{}
	for _, call := range p.service.Calls() {
		if !isCheck(call) {
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

// inProcess is an http.RoundTripper that hands requests to a handler without a network.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	p.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// TestUserGroupsAtATime checks, in virtual time, that lookupsAtATime groups are looked up concurrently and no more.
func TestUserGroupsAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var atATime, most atomic.Int64
		service, err := emulator.New(emulator.Options{
			Latency: time.Second, Log: func(emulator.Call) { atATime.Add(-1) },
		})
		if err != nil {
			t.Fatal(err)
		}
		service.BeforeCall(func(emulator.Call) {
			now := atATime.Add(1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
		})
		var ids []string
		for i := range 100 {
			ids = append(ids, fmt.Sprint("customer-", i))
			service.Seed(emulator.Group{ID: ids[i]})
		}
		client := api.New(api.Config{
			BaseURL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, APIKey: api.NewSecret(emulator.DefaultKey),
			RequestTimeout: time.Minute, RetryWaitMin: time.Second, RetryWaitMax: time.Second, Transport: inProcess{service},
		})
		var diags diag.Diagnostics
		source := userGroupsDataSource{usergroup.New(client, "")}
		existing, _ := source.lookUp(t.Context(), ids, &diags)
		if len(existing) != len(ids) || most.Load() != lookupsAtATime {
			t.Errorf("%d groups were found, and at most %d calls were concurrent, want %d: %v",
				len(existing), most.Load(), lookupsAtATime, diags)
		}
	})
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
	call := func(token string) *tfprotov6.CallFunctionResponse {
		argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, token))
		p.must(err)
		answer, err := p.server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "token_fingerprint", Arguments: []*tfprotov6.DynamicValue{&argument},
		})
		p.must(err)
		return answer
	}
	answer := call(state.token())
	if got := protocolPlain(p.decode(tftypes.String, answer.Result)); got != state.get("token_fingerprint") {
		t.Errorf("got %v and the error %v, want %v", got, answer.Error, state.get("token_fingerprint"))
	}
	refused := call("").Error
	if refused == nil || !strings.Contains(refused.Text, "string length must be at least 1") ||
		refused.FunctionArgument == nil || *refused.FunctionArgument != 0 {
		t.Errorf("the error for an empty token is %+v", refused)
	}
}
