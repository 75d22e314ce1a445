package provider

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestLookupsRunTenAtATime checks, in virtual time, that ten groups are looked up concurrently and no more,
// in the order of the IDs, and that missing groups, which cost three calls each, do not hold up the others: all calls
// together take hardly longer than they must. TestListLeavesOutMissingGroups has a limit.
func TestLookupsRunTenAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const groups, callTime = 1000, 100 * time.Millisecond
		service := emulator.New(emulator.Options{Latency: callTime})
		var ids, got []string
		for i := range groups {
			ids = append(ids, fmt.Sprint("customer-", i))
			if i%3 > 0 {
				service.Seed(emulator.Group{ID: ids[i], Name: "Customer"})
			}
		}
		client := api.New(api.Config{
			URL: &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/api/user"}, APIKey: api.NewSecret(emulator.DefaultKey),
			RequestTimeout: time.Minute, RetryWaitMax: time.Second, Transport: protocoltest.InProcess{Handler: service},
		})
		began := time.Now()
		for one := range lookUpAll(t.Context(), usergroup.New(client, usergroup.Settings{}), ids, 0) {
			got = append(got, one.id)
		}
		const preflight = 3
		calls := len(service.Calls()) - preflight
		if want := groups + 2*((groups+2)/3); !slices.Equal(got, ids) || calls != want {
			t.Errorf("%d groups were listed, in order or not, with %d calls, want %d", len(got), calls, want)
		}
		least := time.Duration(calls/10) * callTime
		if took := time.Since(began); took < least || took > least*11/10 {
			t.Errorf("%d calls took %s, want about %s", calls, took, least)
		}
	})
}
