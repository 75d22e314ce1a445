package endtoend

import (
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// TestAccSecrets has every object of a run go wrong and go well, and looks for keys and tokens in all that is told: to a
// person, to a program, in the provider's log, in the engine's own, and of plan files. Every other test of this package
// looks as well, in the provider's log; see workspace.wait.
func TestAccSecrets(t *testing.T) {
	acceptance(t)
	// No commas in the names: they become part of a directory's name, and GORACE would read its options from there.
	for name, variant := range map[string]struct {
		logging []string
		prose   bool
	}{
		"provider for a person": {[]string{"TF_LOG_PROVIDER=TRACE"}, true},
		"core for a program":    {[]string{"TF_LOG_CORE=TRACE"}, false},
		"all for a person":      {[]string{"TF_LOG=TRACE"}, true},
		"all as JSON":           {[]string{"TF_LOG=JSON"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := startService(t, emulator.Options{})
			w := newWorkspace(t, service, quick)
			w.logging, w.prose = variant.logging, variant.prose
			first := groups{}
			for _, kind := range faultKinds() {
				first[kind.name] = group{Name: "Old", Issue: "1", Properties: map[string]any{"tier": "gold"}}
			}
			w.wants(first)
			whole := w.planAndApply().log
			ofCore := strings.Contains(whole, "vertex ") || strings.Contains(whole, "terraform.Node")
			if ofCore == strings.Contains(variant.logging[0], "PROVIDER") ||
				strings.Contains(variant.logging[0], "CORE") == strings.Contains(whole, "Bodies of the call") {
				t.Errorf("%s: this is not the log that was to be looked through", variant.logging)
			}

			service.Fail(emulator.Fault{Method: get, Nth: 1, Kind: emulator.AnswerTwice})
			w.run("plan", "-parallelism=20").succeeded(t)

			service.RotateBehind("slow")
			for _, kind := range faultKinds() {
				for _, method := range []string{get, put, post, remove} {
					if kind.name != "slow" || method == post {
						strike(service, kind, method, kind.name, once)
					}
				}
			}
			w.wants(first.changed(func(_ string, one *group) { one.Name, one.Issue = "New", "2" }))
			w.apply("-parallelism=20", "-refresh=false").failed(t)
			// The redirect of the refresh ends the first of these.
			w.run("destroy", "-auto-approve", "-parallelism=20").failed(t)
			w.run("destroy", "-auto-approve", "-parallelism=20")
			service.ClearFaults()
			w.planAndApply()
			w.run("destroy", "-auto-approve").succeeded(t)
			if len(service.Groups()) > 0 {
				t.Error("something is left")
			}
		})
	}
}

// planAndApply goes by a plan file and has it printed.
func (w *workspace) planAndApply() outcome {
	w.t.Helper()
	w.run("plan", "-out=plan", "-parallelism=20").succeeded(w.t)
	shown := w.run("show", "plan").succeeded(w.t)
	if line := secretLine(shown.out, w.service); line != "" {
		w.t.Errorf("a plan that is shown tells a secret: %s", line)
	}
	return w.run("apply", "-parallelism=20", "plan").succeeded(w.t)
}
