package usergroup

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// A group that is known to be in another environment than the one to hold to is not touched, and nobody is asked.
func TestKnownInAnotherEnvironmentIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		title string
		run   operation
	}{
		"update": {titleUpdateFailed, runUpdate}, "rotate": {titleRotateFailed, runRotate}, "delete": {titleDeleteFailed, runDelete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, wrongEnvironment(emulator.Options{}))
			seed := seedGroup(e)
			result, err := test.run(t.Context(), s, knownOf(seed))
			wantOutcome(t, result, err, test.title, `"Testing"`, `"Customer"`, "No call was made", "own environment, then run again")
			wantTrace(t, e, "")
			wantLeft(t, e, seed, before)
		})
	}
}

// With the key of another environment every group seems to be gone. That is no proof, so the state is not told so.
func TestAbsenceInAnotherEnvironmentIsNoAbsence(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, wrongEnvironment(options))
			_, err := s.Find(t.Context(), Known{ID: id})
			wantOutcome(t, Result{}, err, titleWrongEnvironment, "says nothing about the right environment", "removed again", "the state keeps what it has")
			if e.Count("DELETE") != 1 || len(e.Groups()) != 0 {
				t.Errorf("left behind: %+v after %s", e.Groups(), trace(e))
			}

			e, s = newService(t, setup{emulator: options, environment: "Customer"})
			_, err = s.Find(t.Context(), Known{ID: id})
			wantOutcome(t, Result{}, err, titleNotFound)
			if e.Count("PUT") != 1 || len(e.Groups()) != 0 {
				t.Errorf("left behind: %+v after %s", e.Groups(), trace(e))
			}
		})
	}
}

func TestAbsenceThatCannotBeProvenIsAnError(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{environment: "Customer"})
	e.Fail(emulator.Fault{Method: "PUT", Kind: emulator.Refuse})
	_, err := s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleLookupFailed, "removed again", "Run again")
	wantTrace(t, e, "GET/created > PUT > DELETE/deleted")
}

// With the key of another environment the same id can be another group. The state must not take that one over, since the
// next destruction would reach it, and it must not be written to in order to find out.
func TestReplacementIsNotBelievedWhereAnEnvironmentIsDemanded(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, with := range []setup{wrongEnvironment(options), {emulator: options, environment: "Customer"}} {
				e, s := newService(t, with)
				seed := seedGroup(e)
				known := knownOf(seed)
				known.EnvironmentTag = nil
				*known.TeamID += 1000
				_, err := s.Find(t.Context(), known)
				wantOutcome(t, Result{}, err, titleReplaced, "a lookup does not tell which", "Nothing was changed", "Check the API key first", "state rm")
				if len(e.Calls()) != e.Count("GET") {
					t.Errorf("the calls were %s", trace(e))
				}
				wantLeft(t, e, seed, before)
			}
		})
	}
}

// Adoption writes to nothing whose environment it could not learn.
func TestAdoptionWithoutAnAnswerAboutTheEnvironment(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{environment: "Customer"})
	seed := seedGroup(e)
	for nth := range maxRetries + 1 {
		e.Fail(emulator.Fault{Method: "PUT", Nth: nth + 1, Kind: emulator.Unavailable503})
	}
	result, err := s.Create(t.Context(), wantedGroup(), true)
	wantOutcome(t, result, err, titleAdoptFailed, "not in the state")
	wantLeft(t, e, seed, before)
}

// A service that takes no update without a name, and tells none, gets the configured one in order to tell the environment.
func TestAdoptionThatFailedAfterItsQuestionChangedTheName(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{environment: "Customer", emulator: emulator.Options{NameRequired: true, Answers: emulator.AnswersEcho}})
	seedGroup(e)
	e.Fail(emulator.Fault{Method: "PUT", Nth: 3, Kind: emulator.Refuse})
	result, err := s.Create(t.Context(), wantedGroup(), true)
	wantOutcome(t, result, err, titleAdoptFailed, "the group may have got the configured one", "not in the state")
	wantTrace(t, e, "GET > PUT > PUT/updated > PUT")
	if group, _ := e.Group(id); group.Name != wantedGroup().Name {
		t.Errorf("its name is %q: this test has tested nothing", group.Name)
	}
}

// What is asked about the environment is answered about another group.
func TestEnvironmentOfAnotherGroupIsAnswered(t *testing.T) {
	t.Parallel()
	other := emulator.Fault{Method: "PUT", Nth: 1, Kind: emulator.Answer, Body: `{"success":1,"user_group":{"team_id":5,"token":"ugt_foreign","provided_id":"other","api_environment_tag":"Customer"}}`}
	team := other
	team.Body = `{"success":1,"user_group":{"team_id":5,"token":"ugt_foreign","provided_id":"acme","api_environment_tag":"Customer"}}`
	lost := emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork}
	for name, test := range map[string]struct {
		faults  []emulator.Fault
		seeded  bool
		run     operation
		outcome string
		says    []string
		left    string
	}{
		"claim, other id":   {[]emulator.Fault{lost, other}, false, runCreate, titleAnsweredForAnother, []string{"not in the state", removalCommand(id)}, ours},
		"claim, other team": {[]emulator.Fault{lost, team}, false, runCreate, titleReplaced, []string{"not in the state", removalCommand(id)}, ours},
		"adopt, other id":   {[]emulator.Fault{other}, true, runAdopt, titleAnsweredForAnother, []string{"not in the state"}, before},
		"adopt, other team": {[]emulator.Fault{team}, true, runAdopt, titleReplaced, []string{"not in the state"}, before},
		"find":              {[]emulator.Fault{other}, false, runFind, titleAnsweredForAnother, []string{"removed again"}, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{environment: "Customer"})
			var seed emulator.Group
			if test.seeded {
				seed = seedGroup(e)
			}
			for _, fault := range test.faults {
				e.Fail(fault)
			}
			result, err := test.run(t.Context(), s, absentKnown())
			wantOutcome(t, result, err, test.outcome, test.says...)
			wantLeft(t, e, seed, test.left)
		})
	}
}
