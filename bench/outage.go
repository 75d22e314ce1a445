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

// outage is what a plan did for groups that are gone, while the service did its work and responded to every call with
// status 500, so that each lookup left an empty group behind. TestRunsEnd in internal/usergroup holds the same limits
// in virtual time. This one includes the engine, and reads what a user reads.
type outage struct {
	calls int
	took  time.Duration
	// empty counts the groups that are left, and unnamed those that no message names. explained counts the errors that
	// do not just refer to an earlier one.
	empty, unnamed, explained int
}

func (b bench) fail(ctx context.Context, provider string) (outage, error) {
	place, err := b.begin(ctx, provider, b.missing)
	if err != nil {
		return outage{}, err
	}
	defer place.end()
	if _, err := place.run(ctx, "apply", "-auto-approve"); err != nil {
		return outage{}, err
	}
	for _, group := range place.service.Groups() {
		place.service.Remove(group.ID)
	}
	place.service.Fail(emulator.Fault{Kind: emulator.Error500AfterWork})
	plan, err := place.run(ctx, "plan")
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return outage{}, fmt.Errorf("a plan during an outage must exit with 1: %w", cmp.Or(err, errors.New("it succeeded")))
	}
	said := strings.Join(strings.Fields(err.Error()), " ")
	o := outage{calls: plan.calls[http.MethodGet], took: time.Duration(plan.wall * float64(time.Second))}
	o.explained = strings.Count(said, "Error: ") - strings.Count(said, "See the earlier error")
	for _, left := range place.service.Groups() {
		if o.empty++; !strings.Contains(said, `the ID "`+left.ID+`" may remain`) {
			o.unnamed++
		}
	}
	return o, nil
}

func (o outage) String() string {
	return fmt.Sprintf("%d calls, %s, errors that explain: %d, empty groups: %d, of which no message names %d",
		o.calls, o.took.Round(time.Second), o.explained, o.empty, o.unnamed)
}

// judge returns an error if the run went on for too long, left too much behind, or repeated its explanation.
func (o outage) judge() error {
	most := outageLimits
	made := o.calls > most.calls || o.took > most.took
	left := o.empty > most.empty || o.unnamed > most.unnamed
	if made || left || o.explained > most.explained {
		return fmt.Errorf("target missed: outage: at most %s, measured %s", most, o)
	}
	return nil
}
