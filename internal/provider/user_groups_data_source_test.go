package provider

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestLookupsRunTenAtATime checks, in virtual time, that lookupsAtATime groups are looked up concurrently and no more,
// up to the limit and in the order of the IDs, and that missing groups, which cost three calls each, do not hold up the
// others: all calls together take hardly longer than they must. The first calls of a process are held back.
func TestLookupsRunTenAtATime(t *testing.T) {
	t.Parallel()
	const groups, callTime = 2000, 100 * time.Millisecond
	for name, test := range map[string]struct {
		limit         int64
		missing       int // one in so many groups, or none
		calls, listed int
	}{
		"up to a limit":      {limit: 950, calls: 950, listed: 950},
		"a third is missing": {missing: 3, calls: groups + 2*((groups+2)/3), listed: groups},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := emulator.New(emulator.Options{Latency: callTime})
				var ids, got []string
				for i := range groups {
					id := fmt.Sprint("customer-", i)
					ids = append(ids, id)
					if test.missing == 0 || i%test.missing > 0 {
						service.Seed(emulator.Group{ID: id, Name: "Customer"})
					}
				}
				client := api.New(api.Config{
					BaseURL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, APIKey: api.NewSecret(emulator.DefaultKey),
					RequestTimeout: time.Minute, RetryWaitMin: time.Second, RetryWaitMax: time.Second,
					Transport: protocoltest.InProcess{Emulator: service},
				})
				began := time.Now()
				for one := range lookUpAll(t.Context(), usergroup.New(client, ""), ids, test.limit) {
					got = append(got, one.id)
				}
				calls := slices.DeleteFunc(service.Calls(), func(call emulator.Call) bool {
					return !strings.HasPrefix(call.ID, "customer-")
				})
				if !slices.Equal(got, ids[:test.listed]) || len(calls) != test.calls {
					t.Errorf("%d groups were listed, in order or not, with %d calls", len(got), len(calls))
				}
				least := time.Duration(len(calls)/lookupsAtATime) * callTime
				if took := time.Since(began); took < least || took > least*11/10 {
					t.Errorf("%d calls took %s, want about %s", len(calls), took, least)
				}
			})
		})
	}
}
