package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// inProcess is an http.RoundTripper that hands requests to a handler without a network.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	p.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// rush is a service with 5,000 groups, each call to which takes 100 milliseconds, and the calls under way.
type rush struct {
	*emulator.Emulator
	*usergroup.Service

	ids            []string
	mu             sync.Mutex
	underWay, most int
}

func newRush(t *testing.T) *rush {
	t.Helper()
	r := &rush{}
	count := func(change int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.underWay += change
		r.most = max(r.most, r.underWay)
	}
	r.Emulator = emulator.New(emulator.Options{
		Latency: 100 * time.Millisecond, Log: func(emulator.Call) { count(-1) },
	})
	r.BeforeCall(func(emulator.Call) { count(1) })
	for i := range 5000 {
		r.ids = append(r.ids, fmt.Sprint("customer-", i))
		r.Seed(emulator.Group{ID: r.ids[i], Name: "Customer"})
	}
	r.Service = usergroup.New(api.New(api.Config{
		BaseURL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, APIKey: api.NewSecret(emulator.DefaultKey),
		RequestTimeout: time.Minute, RetryWaitMin: time.Second, RetryWaitMax: time.Second, Transport: inProcess{r},
	}), "")
	return r
}

// want checks how many calls about the groups were made, that lookupsAtATime of them were under way at the same time,
// and that they took hardly longer than that requires: the first calls of a process are held back.
func (r *rush) want(t *testing.T, calls int, began time.Time) {
	t.Helper()
	got := 0
	for _, call := range r.Calls() {
		if strings.HasPrefix(call.ID, "customer-") {
			got++
		}
	}
	if got != calls || r.most != lookupsAtATime {
		t.Errorf("there were %d calls, at most %d at a time, want %d, %d at a time", got, r.most, calls, lookupsAtATime)
	}
	least := time.Duration(calls/lookupsAtATime) * 100 * time.Millisecond
	if took := time.Since(began); took < least || took > least*11/10 {
		t.Errorf("%d calls took %s, want about %s", calls, took, least)
	}
}

// TestLookupsRunTenAtATime checks, in virtual time, that lookupsAtATime groups are looked up concurrently and no more,
// and that the results have the order of the IDs.
func TestLookupsRunTenAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, began := newRush(t), time.Now()
		var diags diag.Diagnostics
		data := userGroupsModel{UserGroupIDs: r.ids}
		(&userGroupsDataSource{r.Service}).lookUp(t.Context(), &data, &diags)
		if !slices.Equal(data.ExistingIDs, r.ids) || len(data.MissingIDs) > 0 || len(diags) > 0 {
			t.Errorf("%d groups were found and %d were not: %v", len(data.ExistingIDs), len(data.MissingIDs), diags)
		}
		r.want(t, len(r.ids), began)
	})
}

// TestLookupsStopAtTheLimit checks that no lookup is made whose result would be beyond the limit.
func TestLookupsStopAtTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, began := newRush(t), time.Now()
		var got []string
		for one := range lookUpAll(t.Context(), r.Service, r.ids, 950) {
			got = append(got, one.id)
		}
		if !slices.Equal(got, r.ids[:950]) {
			t.Errorf("%d groups were looked up, or not in order", len(got))
		}
		r.want(t, 950, began)
	})
}

// TestMissingGroupsDoNotHoldUpLookups checks a list of which a third is missing, which costs three calls each.
func TestMissingGroupsDoNotHoldUpLookups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, began := newRush(t), time.Now()
		for i, id := range r.ids {
			if i%3 == 0 {
				r.Remove(id)
			}
		}
		missing := 0
		for one := range lookUpAll(t.Context(), r.Service, r.ids, 0) {
			if one.err != nil {
				missing++
			}
		}
		r.want(t, len(r.ids)+2*missing, began)
	})
}

// TestSetsAreOfIDs checks that each set of a data source has the type idsType, because the framework's own takes
// minutes for thousands of elements.
func TestSetsAreOfIDs(t *testing.T) {
	t.Parallel()
	sets := 0
	for _, create := range New("test")().DataSources(t.Context()) {
		var resp datasource.SchemaResponse
		create().Schema(t.Context(), datasource.SchemaRequest{}, &resp)
		for name, attribute := range resp.Schema.Attributes {
			if set, is := attribute.(schema.SetAttribute); is {
				sets++
				if set.CustomType == nil || !set.CustomType.Equal(newIDsType()) {
					t.Errorf("%s does not have the type idsType", name)
				}
			}
		}
	}
	if sets == 0 {
		t.Error("there are no sets")
	}
}

// TestIDsAreEqualInAnyOrder checks which sets of IDs are equal.
func TestIDsAreEqualInAnyOrder(t *testing.T) {
	t.Parallel()
	set := func(ids ...attr.Value) idsValue { return idsValue{types.SetValueMust(types.StringType, ids)} }
	a, b, unknown := types.StringValue("a"), types.StringValue("b"), types.StringUnknown()
	all := map[string]idsValue{
		"null": {types.SetNull(types.StringType)}, "unknown": {types.SetUnknown(types.StringType)},
		"empty": set(), "a": set(a), "a, b": set(a, b), "a, unknown": set(a, unknown),
	}
	for one, mine := range all {
		for other, theirs := range all {
			if mine.Equal(theirs) != (one == other) {
				t.Errorf("{%s} and {%s}: equal is %t", one, other, mine.Equal(theirs))
			}
		}
		if mine.Equal(mine.SetValue) {
			t.Errorf("{%s} equals a set of another type", one)
		}
	}
	if same, _ := set(a, b).SetSemanticEquals(t.Context(), set(b, a)); !same {
		t.Error("the order matters")
	}
}
