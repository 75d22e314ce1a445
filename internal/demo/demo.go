package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// demo is a demonstration under way.
type demo struct {
	screen    *screen
	program   *program
	service   *emulator.Emulator
	customers *customersFile
	// full is for a viewer who wants to see the engine's output as a whole.
	full bool
	// secrets are the key and every token there has been so far.
	secrets map[string]bool
	// state is what the state had when it was last looked at.
	state map[string]group
	// asked is how many calls had reached the service when that was last checked.
	asked  int
	failed bool
}

type step struct {
	title string
	// about tells the viewer what to look for.
	about string
	do    func(context.Context, *demo) error
}

// showSteps stops after a step that went wrong, since those after it build on it.
func (d *demo) showSteps(ctx context.Context, steps []step) error {
	for i, step := range steps {
		d.screen.title(i+1, len(steps), step.title)
		d.screen.say("%s", step.about)
		if err := step.do(ctx, d); err != nil {
			return err
		}
		if d.failed {
			return nil
		}
	}
	return nil
}

// run shows a command of the engine with its output, and expects it to end with the code. Where it does not, that is an
// error, and the demo is over.
func (d *demo) run(ctx context.Context, wantCode int, args ...string) error {
	d.screen.command(d.program.command, args)
	code, err := d.runShown(ctx, args)
	if err != nil {
		return err
	}
	d.screen.paragraph()
	d.collectSecrets()
	if code != wantCode {
		d.fails("%s %s ended with exit code %d and should have ended with %d", d.program.command, args[0], code, wantCode)
		return errNotAsItShouldBe
	}
	return nil
}

func (d *demo) runShown(ctx context.Context, args []string) (int, error) {
	if d.full {
		return d.program.run(ctx, d.screen, args...)
	}
	folded := &fold{screen: d.screen}
	code, err := d.program.run(ctx, folded, args...)
	return code, errors.Join(err, folded.Close())
}

// runAndLook runs a command and then reads the state. It returns the state as it was before and as it is now.
func (d *demo) runAndLook(ctx context.Context, wantCode int, args ...string) (before, after map[string]group, err error) {
	if err := d.run(ctx, wantCode, args...); err != nil {
		return nil, nil, err
	}
	before = d.state
	d.state, err = d.program.state(ctx)
	return before, d.state, err
}

// planIsEmpty asks the engine, without showing its words, whether anything is left to do.
func (d *demo) planIsEmpty(ctx context.Context) error {
	d.asked = len(d.service.Calls())
	code, err := d.program.run(ctx, io.Discard, "plan", "-detailed-exitcode")
	if err != nil {
		return err
	}
	d.collectSecrets()
	d.expect(code == 0, "a plan now finds nothing left to do")
	d.expectSame("it asked the service for", calls{get: len(d.state)}.String(), d.newCalls().String())
	return nil
}

// calls are numbers of calls by method.
type calls map[string]int

func (c calls) String() string {
	var words []string
	for _, method := range methods {
		if c[method] > 0 {
			words = append(words, fmt.Sprintf("%d %s", c[method], method))
		}
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

const (
	get     = http.MethodGet
	put     = http.MethodPut
	post    = http.MethodPost
	deletes = http.MethodDelete
)

var methods = []string{get, put, post, deletes}

// newCalls counts what reached the service since this was last done.
func (d *demo) newCalls() calls {
	d.service.WaitIdle()
	all := d.service.Calls()
	got := calls{}
	for _, call := range all[d.asked:] {
		got[call.Method]++
	}
	d.asked = len(all)
	return got
}

func (d *demo) expectCalls(want calls) {
	d.expectSame("the service was asked for", want.String(), d.newCalls().String())
}

// expect shows what holds, or that it does not.
func (d *demo) expect(holds bool, format string, args ...any) {
	if !holds {
		d.fails("not so: "+format, args...)
		return
	}
	d.screen.good(fmt.Sprintf(format, args...))
}

func (d *demo) expectSame(what, want, got string) {
	if want != got {
		d.fails("%s %s, and should have been %s", what, got, want)
		return
	}
	d.screen.good(what + " " + got)
}

func (d *demo) fails(format string, args ...any) {
	d.failed = true
	d.screen.bad(fmt.Sprintf(format, args...))
}

// expectOthersKept checks that every group but those named has kept its token and its team.
func (d *demo) expectOthersKept(before, after map[string]group, but ...string) {
	changed := 0
	for id, group := range before {
		if now := after[id]; !slices.Contains(but, id) && (now.Token != group.Token || now.TeamID != group.TeamID) {
			changed++
		}
	}
	d.expect(changed == 0, "the other %d groups kept their tokens", len(before)-len(but))
}

// collectSecrets remembers the tokens there are, and those that were sent: the token of a group that was made and
// removed in between was sent to remove it.
func (d *demo) collectSecrets() {
	for _, group := range d.service.Groups() {
		d.secrets[group.Token] = true
	}
	for _, call := range d.service.Calls() {
		var body struct {
			CurrentToken string `json:"current_token"`
		}
		if json.Unmarshal(call.Body, &body) == nil && body.CurrentToken != "" {
			d.secrets[body.CurrentToken] = true
		}
	}
}

func (d *demo) checkSecrets() {
	d.collectSecrets()
	shown := 0
	for secret := range d.secrets {
		if d.screen.showed(secret) {
			shown++
		}
	}
	if shown > 0 {
		d.fails("%d of %d secrets can be read above", shown, len(d.secrets))
		return
	}
	d.screen.good(fmt.Sprintf("none of the %d tokens can be read above, and neither can the API key", len(d.secrets)-1))
}
