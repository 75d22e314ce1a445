package probe

import (
	"context"
	"flag"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// interruptions are what happens to a probe at one of its calls. Those with a hyphen, and refuse, are faults.
const interruptions = `stopped crashed away cut-strictly cut-after-work error-500-after-work half-document html-200
	refuse`

var sample = flag.Int("sample", 8, "TestNothingIsLeftWhateverHappens interrupts one of so many calls; make test: all")

// TestNothingIsLeftWhateverHappens stops, breaks and crashes the probe at each call, and takes the service away.
func TestNothingIsLeftWhateverHappens(t *testing.T) {
	t.Parallel()
	for habit, options := range map[string]o{
		"old tokens":  {TokenLag: 3 * time.Second},
		"replica":     {ReplicaLag: 2 * time.Second, StaleRotations: true},
		"busy groups": {BusyStatus: 423, BusyDeletions: 1},
		"late":        {DeletionDelay: 4 * time.Second, RotationDelay: 3 * time.Second},
	} {
		lastQuestion := questionsOf(t, options)
		for name := range strings.FieldsSeq(interruptions) {
			first := 1 + len(habit+name)%*sample
			for nth, calls := first, first; nth <= calls && (nth <= lastQuestion || name != "crashed"); nth += *sample {
				synctest.Test(t, func(t *testing.T) { calls = interrupted(t, options, habit+", "+name, nth, lastQuestion) })
			}
		}
	}
}

// questionsOf returns how many calls of a probe are no removals, if nothing goes wrong.
func questionsOf(t *testing.T, options o) (calls int) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, options)
		s.run(t.Context(), "Testing", "")
		found := regexp.MustCompile(`calls so far: +(\d+); removing`).FindStringSubmatch(s.progress.String())
		calls, _ = strconv.Atoi(found[1])
	})
	return calls
}

// interrupted runs a probe, to whose nth call happens what the last word of name says. It returns how many calls the
// probe has made.
func interrupted(t *testing.T, options o, name string, nth, lastQuestion int) (calls int) {
	s := newService(t, options)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	_, what, _ := strings.Cut(name, ", ")
	s.between = func(c call) *response {
		switch until := nth - s.attempts; {
		case what == "stopped" && until == 0:
			stop()
		case what == "crashed" && until == 0:
			panic("test")
		case what == "away" && until <= 0:
			panic(http.ErrAbortHandler)
		case what == "cut-strictly":
			return deletesByToken(c)
		}
		return c.next()
	}
	if what == "cut-strictly" { // Before the fourth call, no token is certain, so groups cannot be deleted.
		s.Fail(emulator.Fault{Nth: nth + 3, Kind: emulator.CutAfterWork})
	} else if strings.Contains(what, "-") || what == "refuse" {
		s.Fail(emulator.Fault{Nth: nth, Kind: emulator.FaultKind(what)})
	}
	report := Report{Problem: name}
	func() {
		defer func() { _ = recover() }()
		report = s.run(ctx, "Testing", "")
	}()
	calls = s.attempts
	s.WaitIdle()
	if left := s.groups(true); len(left) > 0 && what != "away" || what == "away" && calls > nth+9 {
		t.Errorf("%s at call %d of %d: left %v\n%v", name, nth, calls, left, s.Calls())
	}
	for _, row := range report.Rows {
		if slices.Contains(parts[:3], row.Part) && what != "refuse" {
			t.Errorf("%s at call %d is taken for a finding: %s %s", name, nth, row.Asked, row.Found)
		}
	}
	advises := map[string]bool{"stopped": false, "crashed": false, "away": true}
	should, ends := advises[what]
	if nth < lastQuestion && ends && (report.Problem == "" || advisesIn(report.Problem) != should) {
		t.Errorf("%s at call %d: the report says %q", name, nth, report.Problem)
	}
	return calls
}

// advisesIn reports whether a problem ends with what to check or change.
func advisesIn(problem string) bool {
	return regexp.MustCompile(`Check base_url|set base_url|Run again`).MatchString(problem)
}
