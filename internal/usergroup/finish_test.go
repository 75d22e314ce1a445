package usergroup_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestFinish ends a process in each second of lookups of missing groups, which are stopped at the same time, or know
// nothing of it. What is under way ends, removes what it has made, and comes before the end of the process. What comes
// later makes no call.
func TestFinish(t *testing.T) {
	t.Parallel()
	for _, isStopped := range []bool{true, false} {
		for second := range 8 {
			synctest.Test(t, func(t *testing.T) {
				e := emulator.New(emulator.Options{Latency: time.Second})
				service := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					kept, _ := received(r)
					return serve(e, kept).response()
				}), maxRetries, usergroup.Settings{Environment: "Customer"})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				var all sync.WaitGroup
				for _, missing := range []string{"a", "b", "a"} {
					all.Go(func() { _, _ = service.Find(ctx, usergroup.Prior{ID: missing}) })
				}
				time.Sleep(time.Duration(second)*time.Second + time.Second/2)
				if isStopped {
					stop()
				}
				service.Finish()
				calls := len(e.Calls())
				if left := e.Groups(); len(left) > 0 {
					t.Errorf("stopped %t, after %d s: the process ends, and leaves %v", isStopped, second, left)
				}
				_, err := service.Find(t.Context(), usergroup.Prior{ID: "later"})
				if p := problemOf(err); p == nil || p.Call == nil || p.Call.Kind != api.Stopped {
					t.Errorf("a lookup after the end: %v", err)
				}
				all.Wait()
				if more := len(e.Calls()) - calls; more > 0 {
					t.Errorf("stopped %t, after %d s: %d calls came after the end", isStopped, second, more)
				}
			})
		}
	}
}
