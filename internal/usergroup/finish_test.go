package usergroup_test

import (
	"context"
	"fmt"
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

// TestCleaningUpOutlastsARateLimit stops a run of ten lookups of missing groups, at each tenth of a second, on a
// service that accepts ten calls a second. What was refused because of that is sent again, so that no group stays.
func TestCleaningUpOutlastsARateLimit(t *testing.T) {
	t.Parallel()
	for tenths := range 20 {
		synctest.Test(t, func(t *testing.T) {
			e := emulator.New(emulator.Options{RateLimit: 10, Latency: 20 * time.Millisecond})
			service := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
				kept, _ := received(r)
				return serve(e, kept).response()
			}), maxRetries, usergroup.Settings{})
			ctx, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() { _, _ = service.Find(ctx, usergroup.Prior{ID: fmt.Sprint("missing-", i)}) })
			}
			time.Sleep(time.Duration(tenths)*time.Second/10 + time.Millisecond)
			stop()
			begun := time.Now()
			all.Wait()
			if left := e.Groups(); len(left) > 0 || time.Since(begun) > time.Minute {
				t.Errorf("stopped after %d tenths: after %s, there are %v", tenths, time.Since(begun), left)
			}
		})
	}
}
