package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// outage is what a plan did while the service responded to every call with status 500. TestRunsEnd in
// internal/usergroup holds the same limits in virtual time. This one includes the engine, and counts what a user reads.
type outage struct {
	calls int
	took  time.Duration
	// errors counts those that the engine printed.
	errors int
}

// fail creates all groups with a provider, and makes a plan while the service fails.
func (b bench) fail(ctx context.Context, provider string) (outage, error) {
	place, err := b.begin(ctx, provider)
	if err != nil {
		return outage{}, err
	}
	defer place.end()
	if _, err := place.run(ctx, "apply", "-auto-approve"); err != nil {
		return outage{}, err
	}
	place.service.Fail(emulator.Fault{
		Kind: emulator.Answer, Status: http.StatusInternalServerError, Body: `{"success":0,"message":"out of order"}`,
	})
	plan, err := place.run(ctx, "plan")
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return outage{}, fmt.Errorf("a plan during an outage must exit with 1: %w", cmp.Or(err, errors.New("it succeeded")))
	}
	return outage{
		calls: plan.calls[http.MethodGet], took: time.Duration(plan.wall * float64(time.Second)),
		errors: strings.Count(err.Error(), "Error: "),
	}, nil
}

func (o outage) String() string {
	return fmt.Sprintf("%d calls, %s, errors: %d", o.calls, o.took.Round(time.Second), o.errors)
}

// judge returns an error if the run went on for too long, or repeated its explanation.
func (o outage) judge() error {
	if o.calls > outageCalls || o.took > outageTime || o.errors > outageErrors {
		return fmt.Errorf("target missed: plan while the service responds with status 500: at most %s, measured %s",
			outage{outageCalls, outageTime, outageErrors}, o)
	}
	return nil
}
