package emulator

import (
	"testing"
	"time"
)

func TestRateLimitAdmitsItsPaceAndNoMore(t *testing.T) {
	limit := newRateLimit(4)
	now := time.Now()
	for i := range 6 {
		if got := limit.admits(now); got != (i < 4) {
			t.Errorf("call %d at once: %v", i, got)
		}
	}
	now = now.Add(250 * time.Millisecond)
	if !limit.admits(now) || limit.admits(now) {
		t.Error("a quarter of a second is not worth one call")
	}
	now = now.Add(time.Hour)
	for i := range 5 {
		if got := limit.admits(now); got != (i < 4) {
			t.Errorf("call %d after an hour: %v", i, got)
		}
	}
	for i := range 100 {
		now = now.Add(250 * time.Millisecond)
		if !limit.admits(now) {
			t.Fatalf("paced call %d was refused", i)
		}
	}
}
