package usergroup

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// try is a testing.TB that keeps failures to itself.
type try struct {
	testing.TB
	failures []string
}

func (a *try) Error(args ...any) { a.failures = append(a.failures, fmt.Sprintln(args...)) }

func (a *try) Errorf(format string, args ...any) {
	a.failures = append(a.failures, fmt.Sprintf(format, args...))
}

func (a *try) Fatal(args ...any) {
	a.Error(args...)
	runtime.Goexit()
}

func (a *try) Fatalf(format string, args ...any) {
	a.Errorf(format, args...)
	runtime.Goexit()
}

// tryAnew runs what depends on time with one timeout after the other until it goes well, and reports the last failures.
func tryAnew(t *testing.T, timeouts []time.Duration, run func(t testing.TB, timeout time.Duration)) {
	t.Helper()
	var last try
	for _, timeout := range timeouts {
		last = try{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(&last, timeout)
		}()
		<-done
		if len(last.failures) == 0 {
			return
		}
	}
	for _, failure := range last.failures {
		t.Error(failure)
	}
}
