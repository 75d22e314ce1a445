package usergroup

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The key opens Customer and the Service is to hold to Testing.
func wrongEnvironment(options emulator.Options) setup {
	return setup{emulator: options, environment: "Testing"}
}

func TestEnvironmentIsRight(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options, environment: "Customer"})
			result, err := s.Create(t.Context(), wantedGroup(), false)
			wantOutcome(t, result, err, fine)
			wantTrace(t, e, "GET/created > PUT/updated")
			wantLeft(t, e, emulator.Group{}, ours)
			if result.Group.EnvironmentTag == nil || *result.Group.EnvironmentTag != "Customer" {
				t.Error("the environment was asked for and is not returned")
			}

			e, s = newService(t, setup{emulator: options, environment: "Customer"})
			seed := seedGroup(e)
			result, err = s.Create(t.Context(), wantedGroup(), true)
			wantOutcome(t, result, err, warns(titleAdopted))
			wantLeft(t, e, seed, updated)
			want := "GET > PUT/updated > PUT/updated"
			if options.NameRequired && options.Answers == emulator.AnswersEcho {
				want = "GET > PUT > PUT/updated > PUT/updated"
			}
			wantTrace(t, e, want)
		})
	}
}

func TestCreateInTheWrongEnvironmentIsUndone(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, adopt := range []bool{false, true} {
				e, s := newService(t, wrongEnvironment(options))
				result, err := s.Create(t.Context(), wantedGroup(), adopt)
				wantOutcome(t, result, err, titleWrongEnvironment, `"Testing"`, `"Customer"`, "removed again, so nothing is left", "Check that the API key")
				wantTrace(t, e, "GET/created > PUT/updated > DELETE/deleted")
				wantLeft(t, e, emulator.Group{}, nothing)
				if result.Group != nil {
					t.Error("a group was returned")
				}
			}
		})
	}
}

// What an adoption in the wrong environment changes is nothing, on every service that lets it be so: one that requires a
// name and only echoes leaves no way to ask for the environment without setting a name.
func TestAdoptInTheWrongEnvironmentChangesNothing(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, wrongEnvironment(options))
			seed := seedGroup(e)
			result, err := s.Create(t.Context(), wantedGroup(), true)
			if options.NameRequired && options.Answers == emulator.AnswersEcho {
				wantOutcome(t, result, err, titleWrongEnvironment, "may have got the configured one", "not in the state")
				group, _ := e.Group(id)
				if string(group.Properties) != oldProperties || group.Mapping["sales"] != "old-db" || group.Token != seed.Token {
					t.Errorf("more than the name was changed: %+v", group)
				}
				return
			}
			wantOutcome(t, result, err, titleWrongEnvironment, "The group was not changed", "not in the state", "Check that the API key")
			wantTrace(t, e, "GET > PUT/updated")
			wantLeft(t, e, seed, before)

			// It was not adopted, so the process may delete it.
			e.ResetCounts()
			here := "Testing"
			known := knownOf(seed)
			known.EnvironmentTag = &here
			_, _ = s.Delete(t.Context(), known, "")
			if e.Count("DELETE") != 1 {
				t.Error("a refused adoption keeps a group from being deleted")
			}
		})
	}
}

func TestLaterTagThatDiffersIsAnError(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testing, customer := "Testing", "Customer"
			for _, c := range []struct {
				name       string
				configured string
				known      *string
				want       string
			}{
				{"configured differs", "Testing", nil, titleWrongEnvironment},
				{"known differs", "", &testing, titleWrongEnvironment},
				{"both agree", "Customer", &customer, fine},
				{"neither is known", "", nil, fine},
			} {
				e, s := newService(t, setup{emulator: options, environment: c.configured})
				seed := seedGroup(e)
				known := knownOf(seed)
				known.EnvironmentTag = c.known
				result, err := s.Update(t.Context(), wantedGroup(), known)
				wantOutcome(t, result, err, c.want)
				wantTrace(t, e, "PUT/updated")
				// It is the known group, and updated: the caller has to learn where it is, also with the error.
				if result.Group == nil || result.Group.EnvironmentTag == nil || *result.Group.EnvironmentTag != "Customer" {
					t.Errorf("%s: the update returned %+v", c.name, result.Group)
				}

				e, s = newService(t, setup{emulator: options, environment: c.configured})
				seed = seedGroup(e)
				known = knownOf(seed)
				known.EnvironmentTag = c.known
				result, err = s.RotateToken(t.Context(), known)
				wantOutcome(t, result, err, c.want)
				wantTrace(t, e, "POST/rotated")
				// The token is rotated, so the caller gets the new one also with the error.
				wantGroup(t, e, result.Group)
			}
		})
	}
}

// A service that tells no tag cannot be held to one.
func TestNoTagSaysNothing(t *testing.T) {
	t.Parallel()
	options := emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}}
	e, s := newService(t, wrongEnvironment(options))
	result, err := s.Create(t.Context(), wantedGroup(), false)
	wantOutcome(t, result, err, fine)
	wantTrace(t, e, "GET/created > PUT/updated")
	tag := "Testing"
	result, err = s.Update(t.Context(), wantedGroup(), Known{ID: id, EnvironmentTag: &tag})
	wantOutcome(t, result, err, fine)
}

// The check after a creation fails: the group is removed again; where that fails too, the error says so.
func TestEnvironmentCheckFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		faults []emulator.Fault
		calls  string
		left   string
		title  string
		says   string
	}{
		{
			"update refused",
			[]emulator.Fault{{Method: "PUT", Kind: emulator.Refuse}},
			"GET/created > PUT > DELETE/deleted", nothing, titleCreateFailed, "removed again, so nothing is left",
		},
		{
			"update broken",
			[]emulator.Fault{{Method: "PUT", Kind: emulator.CutAfterWork}},
			"GET/created > PUT/updated > PUT/updated > PUT/updated > DELETE/deleted", nothing, titleCreateFailed, "removed again, so nothing is left",
		},
		{
			"removal lost once",
			[]emulator.Fault{{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork}},
			"GET/created > PUT/updated > DELETE/deleted > DELETE > GET/created > DELETE/deleted", nothing, titleWrongEnvironment, "removed again, so nothing is left",
		},
		{
			"removal refused once",
			[]emulator.Fault{{Method: "DELETE", Nth: 1, Kind: emulator.Refuse}},
			"GET/created > PUT/updated > DELETE > GET > DELETE/deleted", nothing, titleWrongEnvironment, "removed again, so nothing is left",
		},
		{
			"removal broken",
			[]emulator.Fault{{Method: "DELETE", Kind: emulator.Unavailable503}},
			"GET/created > PUT/updated > DELETE > DELETE > DELETE", ours, titleLeftBehind, "Remove it with",
		},
		{
			"update and removal refused",
			[]emulator.Fault{{Method: "PUT", Kind: emulator.Refuse}, {Method: "DELETE", Kind: emulator.Refuse}},
			"GET/created > PUT > DELETE > GET > DELETE", ours, titleLeftBehind, "the update that was to show its environment failed",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, wrongEnvironment(emulator.Options{}))
			for _, fault := range c.faults {
				e.Fail(fault)
			}
			result, err := s.Create(t.Context(), wantedGroup(), false)
			wantOutcome(t, result, err, c.title, c.says)
			wantTrace(t, e, c.calls)
			wantLeft(t, e, emulator.Group{}, c.left)
			if c.left != nothing {
				wantOutcome(t, result, err, c.title, removalCommand(id))
			}
		})
	}
}

// A creation whose answer got lost found a group that is most likely ours. Only most likely: it is asked for its
// environment without changing it, and never deleted.
func TestClaimWithAnEnvironment(t *testing.T) {
	t.Parallel()
	t.Run("right", func(t *testing.T) {
		t.Parallel()
		e, s := newService(t, setup{environment: "Customer"})
		e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork})
		result, err := s.Create(t.Context(), wantedGroup(), false)
		wantOutcome(t, result, err, warns(titleClaimedAfterLost))
		wantTrace(t, e, "GET/created > GET > PUT/updated")
		wantLeft(t, e, emulator.Group{}, ours)
	})
	t.Run("wrong", func(t *testing.T) {
		t.Parallel()
		e, s := newService(t, wrongEnvironment(emulator.Options{}))
		e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork})
		result, err := s.Create(t.Context(), wantedGroup(), false)
		wantOutcome(t, result, err, titleWrongEnvironment, "most likely made by this run", removalCommand(id))
		wantTrace(t, e, "GET/created > GET > PUT/updated")
		wantLeft(t, e, emulator.Group{}, ours)
	})
	t.Run("somebody else's, on a service that echoes", func(t *testing.T) {
		t.Parallel()
		e, s := newService(t, wrongEnvironment(emulator.Options{Answers: emulator.AnswersEcho}))
		seed := seedGroup(e)
		e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutBefore})
		result, err := s.Create(t.Context(), wantedGroup(), false)
		wantOutcome(t, result, err, titleWrongEnvironment, "but possibly before")
		wantLeft(t, e, seed, before)
	})
	t.Run("cannot be asked for", func(t *testing.T) {
		t.Parallel()
		e, s := newService(t, wrongEnvironment(emulator.Options{}))
		e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork})
		e.Fail(emulator.Fault{Method: "PUT", Kind: emulator.Refuse})
		result, err := s.Create(t.Context(), wantedGroup(), false)
		wantOutcome(t, result, err, titleCreateFailed, "most likely made by this run", "not in the state", removalCommand(id))
		wantLeft(t, e, emulator.Group{}, ours)
	})
}
