package usergroup

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Answers that are about another group, whatever was asked: they are not used, and nothing is deleted on them.
func TestAnswersAboutAnotherGroup(t *testing.T) {
	t.Parallel()
	foreign := func(isNew bool, id string) emulator.Fault {
		return emulator.Fault{Kind: emulator.Answer, Body: fmt.Sprintf(
			`{"success":1,"new_user_group":%t,"user_group":{"team_id":5,"token":"ugt_foreign","provided_id":%q,"api_environment_tag":"Customer"}}`, isNew, id)}
	}
	run := map[string]operation{
		"find": runFind, "create": runCreate, "adopt": runAdopt, "update": runUpdate, "rotate": runRotate,
		"rotate, token unknown": byIDAlone(runRotate), "delete, token unknown": byIDAlone(runDelete),
	}
	for name, operation := range run {
		for _, isNew := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/new %t", name, isNew), func(t *testing.T) {
				t.Parallel()
				e, s := newService(t, setup{})
				seed := seedGroup(e)
				e.Fail(foreign(isNew, "it's another"))
				result, err := operation(t.Context(), s, knownOf(seed))
				p := checkProblem(t, id, err)
				if !strings.Contains(p.Detail, `answered about "it's another"`) || !strings.Contains(p.Detail, "Check with the service") {
					t.Errorf("the error does not tell what happened: %s", p.Detail)
				}
				getOrCreate := e.Count("GET") > 0
				if names := strings.Contains(p.Detail, removalCommand("it's another")); names != (isNew && getOrCreate) {
					t.Errorf("the error names a group left behind: %t; %s", names, p.Detail)
				}
				if result.Group != nil {
					t.Error("a group was returned, and with it the token of another one")
				}
				if len(e.Calls()) != 1 {
					t.Errorf("calls after such an answer: %s", trace(e))
				}
				wantLeft(t, e, seed, before)
			})
		}
	}

	// The creation was ours, the answer to the check of its environment was not: even then nothing is deleted.
	for _, environment := range []string{"Customer", "Testing"} {
		t.Run("check of the environment "+environment, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{environment: environment})
			fault := foreign(false, "another")
			fault.Method = "PUT"
			e.Fail(fault)
			result, err := s.Create(t.Context(), wantedGroup(), false)
			wantOutcome(t, result, err, titleAnsweredForAnother, removalCommand(id), "not in the state")
			wantTrace(t, e, "GET/created > PUT")
			wantLeft(t, e, emulator.Group{}, ours)
		})
	}
}

// Somebody else makes the group anew while a deletion whose answer got lost is repeated.
func TestDeleteLostAndMadeAnew(t *testing.T) {
	t.Parallel()
	for _, tokenKnown := range []bool{true, false} {
		t.Run(fmt.Sprintf("token known %t", tokenKnown), func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{})
			seed := seedGroup(e)
			e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork})
			removals := 0
			e.BeforeCall(func(call emulator.Call) {
				if call.Method == "DELETE" {
					if removals++; removals == 2 {
						e.Seed(emulator.Group{ID: id})
					}
				}
			})
			known := knownOf(seed)
			if !tokenKnown {
				// What is known of the group then comes from the lookup that precedes the deletion.
				known = Known{ID: id}
			}
			result, err := s.Delete(t.Context(), known, "")
			wantOutcome(t, result, err, titleReplaced, "was not deleted")
			wantLeft(t, e, seed, another)
		})
	}
	// A service that tells no team_id leaves no way to tell one group from the other.
	t.Run("no team_id", func(t *testing.T) {
		t.Parallel()
		e, s := newService(t, setup{})
		seed := seedGroup(e)
		e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork})
		e.BeforeCall(func(call emulator.Call) {
			if _, exists := e.Group(id); !exists {
				e.Seed(emulator.Group{ID: id})
			}
		})
		result, err := s.Delete(t.Context(), Known{ID: id, Token: api.NewSecret(seed.Token)}, "")
		wantOutcome(t, result, err, titleDeleteFailed, "may be somebody else's")
		wantLeft(t, e, seed, another)
	})
}

// The first rotation is done late, just before its repetition arrives: the repetition is refused as stale, which must
// not be taken for a rotation by somebody else.
func TestRotationThatTheServiceComesToLate(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{client: func(config *api.Config) { config.RequestTimeout = 3 * time.Second }})
	seed := seedGroup(e)
	lateOne, attempts := make(chan struct{}), make(chan int, 1)
	attempts <- 0
	e.BeforeCall(func(call emulator.Call) {
		if call.Method != "POST" {
			return
		}
		n := <-attempts + 1
		attempts <- n
		switch n {
		case 1:
			<-lateOne
		case 2:
			close(lateOne)
			for e.Rotations(id) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	})
	result, err := s.RotateToken(t.Context(), knownOf(seed))
	e.WaitIdle()
	wantOutcome(t, result, err, fine)
	wantTrace(t, e, "POST/rotated > GET > POST > GET")
	wantGroup(t, e, result.Group)
	wantLeft(t, e, seed, rotated)
}

// A lookup on behalf of a rotation or a deletion leaves a shell behind: the error is about the operation and names it.
func TestLookupOnBehalfOfAnotherOperationFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run    operation
		faults []emulator.Fault
		calls  string
		title  string
		says   []string
	}{
		"rotation lost": {
			runRotate,
			[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.CutBefore}, {Method: "DELETE", Kind: emulator.Unavailable503}},
			"POST > GET/created > DELETE > DELETE > DELETE", titleRotateFailed,
			[]string{"Whether the token was rotated is not known", "left at the service"},
		},
		"rotation refused": {
			runRotate,
			[]emulator.Fault{{Method: "DELETE", Kind: emulator.Unavailable503}},
			"POST > GET/created > DELETE > DELETE > DELETE", titleRotateFailed,
			[]string{"The token was not rotated", "left at the service"},
		},
		"rotation without a token": {
			tokenUnknown(runRotate),
			[]emulator.Fault{{Method: "DELETE", Kind: emulator.Unavailable503}},
			"GET/created > DELETE > DELETE > DELETE", titleRotateFailed,
			[]string{"The token was not rotated", "left at the service"},
		},
		"deletion refused": {
			runDelete,
			[]emulator.Fault{{Method: "DELETE", Nth: 2, Kind: emulator.Unavailable503}, {Method: "DELETE", Nth: 2, Kind: emulator.Unavailable503}, {Method: "DELETE", Nth: 2, Kind: emulator.Unavailable503}},
			"DELETE > GET/created > DELETE > DELETE > DELETE", titleDeleteFailed,
			[]string{"was not deleted and stays in the state", "left at the service"},
		},
		"deletion without a token": {
			tokenUnknown(runDelete),
			[]emulator.Fault{{Method: "GET", Kind: emulator.CutAfterWork}},
			"GET/created > GET > GET", titleDeleteFailed,
			[]string{"was not deleted and stays in the state", "To remove a shell"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{})
			for _, fault := range c.faults {
				e.Fail(fault)
			}
			result, err := c.run(t.Context(), s, absentKnown())
			wantOutcome(t, result, err, c.title, append(c.says, removalCommand(id))...)
			wantTrace(t, e, c.calls)
			wantLeft(t, e, emulator.Group{}, shell)
		})
	}
}

// A rotation whose answer got lost, and then the group turns out to be gone or to be another one.
func TestRotationLostAndGroupGone(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	seed := seedGroup(e)
	e.Fail(emulator.Fault{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork})
	e.BeforeCall(func(call emulator.Call) {
		if call.Method == "GET" {
			e.Remove(id)
		}
	})
	result, err := s.RotateToken(t.Context(), knownOf(seed))
	wantOutcome(t, result, err, titleNotFound, "none to rotate")
	wantLeft(t, e, seed, nothing)

	e, s = newService(t, setup{})
	seed = seedGroup(e)
	e.Fail(emulator.Fault{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork})
	e.BeforeCall(func(call emulator.Call) {
		if call.Method == "GET" {
			e.Replace(id)
		}
	})
	result, err = s.RotateToken(t.Context(), knownOf(seed))
	wantOutcome(t, result, err, titleReplaced, "The token of that one was not rotated")
	wantLeft(t, e, seed, another)
}

// A service that says success and hands out the token that it was to replace.
func TestRotationThatDoesNothing(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	seed := seedGroup(e)
	e.Fail(emulator.Fault{Method: "POST", Kind: emulator.Answer, Body: fmt.Sprintf(`{"success":1,"user_group":{"team_id":%d,"token":%q}}`, seed.TeamID, seed.Token)})
	result, err := s.RotateToken(t.Context(), knownOf(seed))
	wantOutcome(t, result, err, titleRotateFailed, "nothing was rotated")
	if result.Group != nil {
		t.Error("a group was returned")
	}
}

// An adoption after a lookup whose answer got lost does not claim to know that the group existed.
func TestAdoptAfterALostAnswer(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork})
	result, err := s.Create(t.Context(), wantedGroup(), true)
	wantOutcome(t, result, err, warns(titleAdopted), "unless an earlier attempt of this creation")
	wantTrace(t, e, "GET/created > GET > PUT/updated")
	wantLeft(t, e, emulator.Group{}, ours)
}

// The engine creates first and then destroys the old instance of the same id, and the answer to the creation gets lost:
// what is taken for ours is the very group that the old instance stands for.
func TestClaimKeepsTheGroupFromItsOldInstance(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	wanted := wantedGroup()
	seed := e.Seed(emulator.Group{ID: id, Name: wanted.Name, Mapping: wanted.Mapping, Properties: []byte(newProperties)})
	e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutBefore})
	result, err := s.Create(t.Context(), wanted, false)
	wantOutcome(t, result, err, warns(titleClaimedAfterLost))
	result, err = s.Delete(t.Context(), knownOf(seed), "")
	wantOutcome(t, result, err, warns(titleKept), "was not deleted")
	wantTrace(t, e, "GET > GET")
	wantLeft(t, e, seed, before)

	// The next run does delete it.
	result, err = newClient(t, e, setup{}).Delete(t.Context(), knownOf(seed), "")
	wantOutcome(t, result, err, fine)
	wantLeft(t, e, seed, nothing)
}

func TestTokenChanged(t *testing.T) {
	t.Parallel()
	p := checkProblem(t, id, TokenChanged(id))
	if generic(p.Title, id) != titleTokenChanged {
		t.Error(p.Title)
	}
}
