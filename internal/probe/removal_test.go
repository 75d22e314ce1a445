package probe_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/probe"
)

// TestNothingIsLeftWhateverHappens stops, breaks and crashes the probe at each call.
func TestNothingIsLeftWhateverHappens(t *testing.T) {
	lost := func(kind emulator.FaultKind) func(*service, int, func()) {
		return func(s *service, nth int, _ func()) { s.Fail(emulator.Fault{Nth: nth, Kind: kind}) }
	}
	at := func(s *service, nth int, do func()) {
		s.between = func(_ *http.Request, _ fields, next func() *http.Response) *http.Response {
			if nth--; nth == 0 {
				do()
			}
			return next()
		}
	}
	for name, test := range map[string]struct {
		mishap func(s *service, nth int, stop func())
		// ends means that the mishap ends the probe.
		ends bool
		// strict is a service that does not delete without a token, and whose lookups lag.
		strict bool
	}{
		"stopped":                {func(s *service, nth int, stop func()) { at(s, nth, stop) }, true, false},
		"crashed":                {func(s *service, nth int, _ func()) { at(s, nth, func() { panic("test") }) }, true, false},
		"cut after work":         {lost(emulator.CutAfterWork), false, false},
		"cut after work, strict": {lost(emulator.CutAfterWork), false, true},
		"failed after work":      {lost(emulator.Error500AfterWork), false, false},
		"half a document":        {lost(emulator.HalfDocument), false, false},
		"page of a proxy":        {lost(emulator.HTML200), false, false},
		"refused":                {lost(emulator.Refuse), false, false},
		"redirected elsewhere":   {lost(emulator.Redirect307), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			first, options := 1, emulator.Options{}
			if test.strict {
				// Before the fourth call, no token is certain, so groups cannot be deleted.
				first, options.ReadLag = 4, 3*time.Second
			}
			for nth := first; ; nth++ {
				calls := 0
				synctest.Test(t, func(t *testing.T) {
					s := newService(t, options)
					ctx, stop := context.WithCancel(t.Context())
					defer stop()
					if test.strict {
						s.between = deletesByToken
					}
					test.mishap(s, nth, stop)
					report := probe.Report{Problem: "crashed"}
					func() {
						defer func() { _ = recover() }()
						report = s.run(ctx, "Testing")
					}()
					if calls = len(s.Calls()); nth > calls {
						return
					}
					if left := s.left(); len(left) > 0 {
						t.Errorf("call %d: left %v\n%v", nth, left, s.Calls())
					}
					if removing := strings.Count(s.progress.String(), "removing"); removing != 1 {
						t.Errorf("call %d: the groups were removed %d times", nth, removing)
					}
					for _, row := range report.Rows {
						if row.Severity == probe.Bad && name != "refused" {
							t.Errorf("call %d: the mishap is taken for a finding: %s %s", nth, row.Asked, row.Found)
						}
					}
					advises, should := strings.Contains(report.Problem, advice), name == "redirected elsewhere"
					if advises && name == "stopped" || !advises && should && nth <= lastQuestion {
						t.Errorf("call %d: the report says %q", nth, report.Problem)
					}
					if test.ends && report.Problem == "" && nth < lastQuestion {
						t.Errorf("call %d: the report does not say that the probe ended early", nth)
					}
				})
				if nth > calls {
					break
				}
			}
		})
	}
}

// lastQuestion is the last call of a probe that is not a removal, if nothing goes wrong.
const lastQuestion = 21

// TestServiceThatGoesAway: what may be left is named, with the command that removes it, and the probe does not wait
// for each group.
func TestServiceThatGoesAway(t *testing.T) {
	for nth := range 27 {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, emulator.Options{})
			calls, late := 0, 0
			s.between = func(_ *http.Request, _ fields, next func() *http.Response) *http.Response {
				if calls++; calls > nth {
					late++
					panic(http.ErrAbortHandler)
				}
				return next()
			}
			report := s.run(t.Context(), "Testing")
			for _, id := range s.left() {
				if !slices.Contains(report.Left, id) {
					t.Errorf("after %d calls: %s is left, but only %v reported", nth, id, report.Left)
				}
			}
			if report.ExitCode() != probe.ExitUnfinished || late > 9 {
				t.Errorf("after %d calls: exit code %d, %d more calls", nth, report.ExitCode(), late)
			}
		})
	}
}
