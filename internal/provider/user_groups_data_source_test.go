package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

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

// TestUserGroupsLooksUpTenAtATime checks, in virtual time, that lookupsAtATime groups are looked up concurrently and no
// more.
func TestUserGroupsLooksUpTenAtATime(t *testing.T) {
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
