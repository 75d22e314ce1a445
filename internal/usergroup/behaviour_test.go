package usergroup

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// readings are the 16 services that the contract allows for.
func readings() map[string]emulator.Options {
	all := map[string]emulator.Options{}
	for answers, answersName := range map[emulator.Answers]string{emulator.AnswersStored: "stored", emulator.AnswersEcho: "echo"} {
		for updates, updatesName := range map[emulator.Updates]string{emulator.UpdatesReplace: "replace", emulator.UpdatesMerge: "merge"} {
			for _, nameRequired := range []bool{false, true} {
				for refusals, refusalsName := range map[emulator.Refusals]string{emulator.RefusalsStatus: "status", emulator.RefusalsSuccessZero: "success0"} {
					name := fmt.Sprintf("%s-%s-name_required_%t-%s", answersName, updatesName, nameRequired, refusalsName)
					all[name] = emulator.Options{Answers: answers, Updates: updates, NameRequired: nameRequired, Refusals: refusals}
				}
			}
		}
	}
	return all
}

// wantBodies holds the raw bodies of all calls against the given ones. TOKEN stands for any token.
func wantBodies(t *testing.T, e *emulator.Emulator, want ...string) {
	t.Helper()
	var got []string
	for _, call := range e.Calls() {
		body := string(call.Body)
		var sent struct {
			Token string `json:"current_token"`
		}
		if json.Unmarshal(call.Body, &sent) == nil && sent.Token != "" {
			body = strings.Replace(body, sent.Token, "TOKEN", 1)
		}
		got = append(got, call.Method+" "+body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the bodies sent (-want +got):\n%s", diff)
	}
}

const (
	idOnly     = `{"user_group_id":"acme"}`
	all        = `{"user_group_id":"acme","name":"Acme Inc.","mapping":{"sales":"acme-db"},"properties":{"tier":"gold","seats":5}}`
	tokenAndID = `{"current_token":"TOKEN","user_group_id":"acme"}`
	tokenOnly  = `{"current_token":"TOKEN"}`
)

func TestFindExisting(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			found, err := s.Find(t.Context(), knownOf(seed))
			if err != nil {
				t.Fatal(err)
			}
			wantGroup(t, e, &found.UserGroup)
			wantLeft(t, e, seed, before)
			if found.Replaced {
				t.Error("the group is the same and is said to have been replaced")
			}
			if found.EnvironmentTag != nil {
				t.Errorf("a lookup does not tell the environment, and it is %q", *found.EnvironmentTag)
			}
			first := []string{"GET " + idOnly}
			named := `GET {"user_group_id":"acme","name":"Old Acme"}`
			switch {
			case options.NameRequired:
				first = append(first, named)
				if found.Name == nil || *found.Name != "Old Acme" {
					t.Errorf("the name is %v", deref(found.Name))
				}
			case options.Answers == emulator.AnswersEcho:
				if found.Name != nil || !found.Properties.IsZero() {
					t.Error("an echo of nothing was taken for a name or for properties")
				}
			default:
				if found.Name == nil || *found.Name != "Old Acme" || found.Properties.IsZero() {
					t.Error("name and properties were told and are not returned")
				}
			}
			wantBodies(t, e, first...)

			// What the service insists on is remembered: the second lookup costs one call.
			e.ResetCounts()
			if _, err := s.Find(t.Context(), knownOf(seed)); err != nil {
				t.Fatal(err)
			}
			wantBodies(t, e, first[len(first)-1])
		})
	}
}

func TestFindExistingByIDAlone(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			found, err := s.Find(t.Context(), Known{ID: id})
			if err != nil {
				t.Fatal(err)
			}
			wantGroup(t, e, &found.UserGroup)
			wantLeft(t, e, seed, before)
			stored := options.Answers == emulator.AnswersStored
			if stored && (found.Name == nil || *found.Name != "Old Acme") || !stored && found.Name != nil {
				t.Errorf("the name is %v: a made up one that came back would end up in the state", deref(found.Name))
			}
		})
	}
}

func TestFindAbsent(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, known := range []Known{{ID: id}, absentKnown()} {
				e, s := newService(t, setup{emulator: options})
				_, err := s.Find(t.Context(), known)
				if !errors.Is(err, ErrNotFound) {
					t.Errorf("the error is not ErrNotFound: %v", err)
				}
				wantOutcome(t, Result{}, err, titleNotFound, "left none behind", "Check the spelling")
				want := "GET/created > DELETE/deleted"
				if options.NameRequired {
					want = "GET > " + want
				}
				wantTrace(t, e, want)
				wantLeft(t, e, emulator.Group{}, nothing)
				calls := e.Calls()
				if last := string(calls[len(calls)-1].Body); !strings.Contains(last, "ugt_") || !strings.Contains(last, id) ||
					strings.Contains(last, "that_is_gone") {
					t.Error("the shell was not removed by the very token that came with it")
				}
			}
		})
	}
}

func TestFindReplaced(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			e.Replace(id)
			found, err := s.Find(t.Context(), knownOf(seed))
			if err != nil {
				t.Fatal(err)
			}
			if !found.Replaced {
				t.Error("another team_id under the id is not said to be a replacement")
			}
			wantGroup(t, e, &found.UserGroup)
			wantLeft(t, e, seed, another)
		})
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, adopt := range []bool{false, true} {
				e, s := newService(t, setup{emulator: options})
				result, err := s.Create(t.Context(), wantedGroup(), adopt)
				wantOutcome(t, result, err, fine)
				wantGroup(t, e, result.Group)
				wantBodies(t, e, "GET "+all)
				wantLeft(t, e, emulator.Group{}, ours)
			}
		})
	}
}

func TestCreateSendsNothingThatIsUnset(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			result, err := s.Create(t.Context(), Wanted{ID: id, Name: "A"}, false)
			wantOutcome(t, result, err, fine)
			result, err = s.Update(t.Context(), Wanted{ID: id, Name: "A", Mapping: map[string]string{}, Properties: object(`{}`)}, Known{ID: id})
			wantOutcome(t, result, err, fine)
			wantBodies(t, e, `GET {"user_group_id":"acme","name":"A"}`, `PUT {"user_group_id":"acme","name":"A","mapping":{},"properties":{}}`)
		})
	}
}

func TestCreateExisting(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			result, err := s.Create(t.Context(), wantedGroup(), false)
			wantOutcome(t, result, err, titleExists, "nothing was changed", "import block", "adopt_existing = true")
			if result.Group != nil {
				t.Error("a group was returned")
			}
			wantTrace(t, e, "GET")
			wantLeft(t, e, seed, before)
		})
	}
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			result, err := s.Create(t.Context(), wantedGroup(), true)
			wantOutcome(t, result, err, warns(titleAdopted), "Its token was kept", "destroying this resource deletes the group")
			wantGroup(t, e, result.Group)
			wantBodies(t, e, "GET "+all, "PUT "+all)
			wantLeft(t, e, seed, updated)

			// The same process never deletes what it has adopted: an engine that creates first would mean the same group.
			e.ResetCounts()
			result, err = s.Delete(t.Context(), knownOf(seed), "")
			wantOutcome(t, result, err, warns(titleKept), "was not deleted")
			wantTrace(t, e, "")
			wantLeft(t, e, seed, updated)

			// Another process does.
			result, err = newClient(t, e, setup{}).Delete(t.Context(), knownOf(seed), "")
			wantOutcome(t, result, err, fine)
			wantLeft(t, e, seed, nothing)
		})
	}
}

func TestAdoptWhatTheServiceDoesNotLetGo(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			e.Seed(emulator.Group{ID: id, Name: "Old Acme", Properties: json.RawMessage(`{"kept":1}`)})
			result, err := s.Create(t.Context(), wantedGroup(), true)
			wantTrace(t, e, "GET > PUT/updated")
			if options.Updates == emulator.UpdatesMerge && options.Answers == emulator.AnswersStored {
				wantOutcome(t, result, err, titleAdoptFailed, `"kept"`, "was updated, but it is not in the state", "Change the configuration")
				// Not in the state, so not adopted: a deletion is not skipped.
				e.ResetCounts()
				_, _ = s.Delete(t.Context(), Known{ID: id}, "")
				if e.Count("DELETE") != 1 {
					t.Error("a failed adoption keeps a group from being deleted")
				}
				return
			}
			wantOutcome(t, result, err, warns(titleAdopted))
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			result, err := s.Update(t.Context(), wantedGroup(), knownOf(seed))
			wantOutcome(t, result, err, fine)
			wantGroup(t, e, result.Group)
			if result.Group.EnvironmentTag == nil || *result.Group.EnvironmentTag != "Customer" {
				t.Error("the environment was told and is not returned")
			}
			wantBodies(t, e, "PUT "+all)
			wantLeft(t, e, seed, updated)
		})
	}
}

func TestUpdateThatMerges(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			e.Change(id, func(g *emulator.Group) { g.Properties = json.RawMessage(`{"personal":"secret value"}`) })
			result, err := s.Update(t.Context(), wantedGroup(), knownOf(seed))
			wantTrace(t, e, "PUT/updated")
			wantGroup(t, e, result.Group)
			if options.Updates == emulator.UpdatesMerge && options.Answers == emulator.AnswersStored {
				wantOutcome(t, result, err, titleNotUpdatedAsPlanned, `that were not sent "personal"`, "Bring the configuration in line")
				if strings.Contains(err.Error(), "secret value") {
					t.Error("a property's value was printed")
				}
				return
			}
			wantOutcome(t, result, err, fine)
		})
	}
}

func TestUpdateAbsent(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			result, err := s.Update(t.Context(), wantedGroup(), absentKnown())
			wantOutcome(t, result, err, titleUpdateFailed, "was not changed", "with a refresh: if the group was deleted meanwhile, the plan shows it")
			wantTrace(t, e, "PUT")
			wantLeft(t, e, emulator.Group{}, nothing)

			// A service that creates on PUT: another team_id than the plan was made for.
			options.UpsertOnPut = true
			e, s = newService(t, setup{emulator: options})
			result, err = s.Update(t.Context(), wantedGroup(), absentKnown())
			wantOutcome(t, result, err, titleReplaced, "team_id 77", "team_id 1001")
			wantTrace(t, e, "PUT/created")
		})
	}
}

// Ids and numbers that a careless program gets wrong.
func TestOddGroups(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"a b/c", "Müller & Söhne", `quo"te'back\slash`, "客户", "<script>", "100%", " ", "a,b;c", strings.Repeat("x", 500)} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: emulator.Options{FirstTeamID: 9007199254740993}})
			wanted := wantedGroup()
			wanted.ID = odd
			result, err := s.Create(t.Context(), wanted, false)
			if err != nil {
				t.Fatal(err)
			}
			if *result.Group.TeamID != 9007199254740993 {
				t.Errorf("team_id is %d", *result.Group.TeamID)
			}
			known := Known{ID: odd, TeamID: result.Group.TeamID, Token: result.Group.Token}
			if _, err := s.Find(t.Context(), known); err != nil {
				t.Error(err)
			}
			_, err = s.Create(t.Context(), wanted, false)
			outcome(t, odd, Result{}, err)
			if _, err := newClient(t, e, setup{}).Delete(t.Context(), known, ""); err != nil {
				t.Error(err)
			}
			if len(e.Groups()) != 0 {
				t.Error("the group is still there")
			}
			_, err = s.Find(t.Context(), known)
			outcome(t, odd, Result{}, err)
		})
	}
}

func TestWrongKeyIsOneCallAndAClearWord(t *testing.T) {
	t.Parallel()
	e, _ := newService(t, setup{})
	wrong := newClient(t, e, setup{client: func(config *api.Config) { config.APIKey = api.NewSecret("not-the-key") }})
	seed := seedGroup(e)
	for name, operation := range map[string]func() (Result, error){
		"create": func() (Result, error) { return wrong.Create(t.Context(), wantedGroup(), true) },
		"find":   func() (Result, error) { return runFind(t.Context(), wrong, knownOf(seed)) },
		"update": func() (Result, error) { return wrong.Update(t.Context(), wantedGroup(), knownOf(seed)) },
		"rotate": func() (Result, error) { return wrong.RotateToken(t.Context(), knownOf(seed)) },
		"delete": func() (Result, error) { return wrong.Delete(t.Context(), knownOf(seed), "") },
	} {
		e.ResetCounts()
		_, err := operation()
		p := checkProblem(t, id, err)
		if !strings.Contains(p.Detail, "Check api_key (EMBED_API_KEY)") || strings.Contains(p.Detail, "not-the-key") {
			t.Errorf("%s: %s", name, p.Detail)
		}
		if len(e.Calls()) != 1 {
			t.Errorf("%s: %d calls", name, len(e.Calls()))
		}
		wantLeft(t, e, seed, before)
	}
}
