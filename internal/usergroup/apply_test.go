package usergroup_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestApply: an update and a rotation in one apply prove the key once, and name each group that may remain once. The
// token is rotated although the update has failed, unless the group is gone, or the key is not proved.
func TestApply(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		begins, environment    string
		fault                  emulator.Fault
		calls                  string
		notUpdated, notRotated usergroup.Finding
		left                   string // what the problem of the update names
		warnings               int
		options                emulator.Options
	}{
		"both":                     {calls: "PUT POST"},
		"one proof for both":       {environment: "Customer", calls: "GET GET PUT GET DELETE PUT POST"},
		"one problem of a bad key": {environment: "Testing", calls: "GET GET PUT GET DELETE", notUpdated: usergroup.WrongKey},
		"a refused update": {
			fault: emulator.Fault{Method: http.MethodPut, Kind: emulator.Refuse}, calls: "PUT POST",
			notUpdated: usergroup.CallFailed,
		},
		"a refused rotation": {
			fault: emulator.Fault{Method: http.MethodPost, Kind: emulator.Refuse}, calls: "PUT POST GET",
			notRotated: usergroup.CallFailed,
		},
		"a group that is gone": {
			begins: "absent", calls: "PUT GET GET GET DELETE GET DELETE", notUpdated: usergroup.NotFound,
		},
		"another group": {begins: "replaced", calls: "PUT", notUpdated: usergroup.Replaced},
		"a group that each lookup may leave": {
			begins: "absent", fault: emulator.Fault{Method: http.MethodGet, Kind: emulator.Error500AfterWork},
			calls: "PUT GET GET GET GET GET", notUpdated: usergroup.CallFailed, left: "acme",
		},
		"a test group that may remain": {
			environment: "Customer", fault: emulator.Fault{Method: http.MethodGet, Nth: 2, Kind: emulator.Error500AfterWork},
			calls: "GET GET GET PUT GET DELETE PUT POST", warnings: 1,
		},
		"a token that the update renews, and a refused rotation": {
			options: emulator.Options{RenewingUpdates: true},
			fault:   emulator.Fault{Method: http.MethodPost, Kind: emulator.Refuse},
			calls:   "PUT GET POST", notRotated: usergroup.CallFailed, warnings: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStranger(e.options, usergroup.Settings{Environment: e.environment})
				prior := operations["update"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
				switch e.begins {
				case "absent":
					s.emulator.Remove(id)
				case "replaced":
					s.emulator.Replace(id)
				}
				if e.fault.Method != "" {
					s.emulator.Fail(e.fault)
				}
				sent := wanted(id)
				applied := s.Apply(t.Context(), usergroup.Change{Update: &sent, Rotates: true}, prior)
				var calls []string
				for _, call := range s.emulator.Calls() {
					calls = append(calls, call.Method)
				}
				if got := strings.Join(calls, " "); got != e.calls {
					t.Errorf("the calls are %s, want %s", got, e.calls)
				}
				if got := findingOf(applied.NotUpdated); got != e.notUpdated {
					t.Errorf("the update ends in %q, want %q: %v", got, e.notUpdated, applied.NotUpdated)
				}
				if got := findingOf(applied.NotRotated); got != e.notRotated {
					t.Errorf("the rotation ends in %q, want %q: %v", got, e.notRotated, applied.NotRotated)
				}
				if p := problemOf(applied.NotUpdated); p != nil && strings.Join(p.Left, " ") != e.left {
					t.Errorf("it names %q, want %q", p.Left, e.left)
				}
				warnings := append(applied.Updated.Warnings, applied.Rotated.Warnings...)
				if len(warnings) != e.warnings {
					t.Errorf("%d warnings, want %d: %v", len(warnings), e.warnings, warnings)
				}
				if isDone := applied.Rotated.Group != nil; isDone != (e.notRotated == none && strings.Contains(e.calls, "POST")) {
					t.Errorf("rotated: %t", isDone)
				}
			})
		})
	}
}

// TestARenewedTokenIsLookedUp: if an update shows another token than before, only a lookup proves which one a rotation
// has to send. The state has the new one then, so that no warning is left.
func TestARenewedTokenIsLookedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{}, usergroup.Settings{})
		prior := operations["update"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.RotateBehind(id)
		applied := s.Apply(t.Context(), usergroup.Change{Update: new(wanted(id)), Rotates: true}, prior)
		if applied.NotUpdated != nil || applied.NotRotated != nil || len(applied.Updated.Warnings) > 0 {
			t.Errorf("%v, %v, %v", applied.NotUpdated, applied.NotRotated, applied.Updated.Warnings)
		}
		group, _ := s.emulator.Group(id)
		if applied.Rotated.Group.Token != api.NewSecret(group.Token) || len(s.emulator.Calls()) != 3 {
			t.Errorf("%v", s.emulator.Calls())
		}
	})
}

// TestATokenThatIsNoNewsHidesNoGroup: the warning about the token is taken back after a rotation, but not the only one
// that names a group of the preflight.
func TestATokenThatIsNoNewsHidesNoGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{RenewingUpdates: true}, usergroup.Settings{Environment: "Customer"})
		prior := operations["update"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.Fail(emulator.Fault{Method: http.MethodGet, Nth: 2, Kind: emulator.Error500AfterWork})
		applied := s.Apply(t.Context(), usergroup.Change{Update: new(wanted(id)), Rotates: true}, prior)
		warnings := slices.Concat(applied.Updated.Warnings, applied.Rotated.Warnings)
		if applied.Rotated.Group == nil || len(warnings) != 1 || warnings[0].Finding != usergroup.LeftBehind ||
			len(warnings[0].Left) != 1 {
			t.Errorf("%v, %v, %v", applied.NotUpdated, applied.NotRotated, warnings)
		}
	})
}
