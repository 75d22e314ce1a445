package usergroup_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestIDsThatDifferInCase changes the case of an ID in the configuration: Acme becomes acme. With a service that
// ignores case, both are one group, which the run must neither adopt twice nor delete after it has adopted it.
func TestIDsThatDifferInCase(t *testing.T) {
	t.Parallel()
	const old = "Acme"
	for name, e := range map[string]struct {
		isSensitive bool
		options     emulator.Options
		begin       func(*testing.T, *emulator.Emulator, *usergroup.Service, usergroup.Prior) usergroup.Prior
		do          func(*testing.T, *usergroup.Service, usergroup.Prior) (usergroup.Result, error)
		finding     usergroup.Finding // of the error or the last warning
		left        int
	}{
		"the group that was adopted is kept": {
			begin: adoptAgain,
			do: func(t *testing.T, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
				return s.Delete(t.Context(), prior)
			},
			finding: usergroup.Kept, left: 1,
		},
		"so it is if the state has an old token, with an error, because the service shows another ID": {
			begin: func(
				t *testing.T, e *emulator.Emulator, s *usergroup.Service, prior usergroup.Prior,
			) usergroup.Prior {
				e.RotateBehind(id)
				return adoptAgain(t, e, s, prior)
			},
			do: func(t *testing.T, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
				return s.Delete(t.Context(), prior)
			},
			finding: usergroup.Mismatched, left: 1,
		},
		"so it is if the service shows neither numbers nor IDs": {
			options: emulator.Options{Omit: []string{"team_id", "provided_id"}},
			begin: func(
				t *testing.T, e *emulator.Emulator, s *usergroup.Service, prior usergroup.Prior,
			) usergroup.Prior {
				prior = adoptAgain(t, e, s, prior)
				prior.TeamID, prior.Token, prior.Fingerprint = "", api.Secret{}, "0123456789ab"
				return prior
			},
			do: func(t *testing.T, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
				return s.Delete(t.Context(), prior)
			},
			finding: usergroup.Kept, left: 1,
		},
		"one group is not adopted at two addresses": {
			options: emulator.Options{Omit: []string{"provided_id"}},
			begin:   adoptAgain,
			do: func(t *testing.T, s *usergroup.Service, _ usergroup.Prior) (usergroup.Result, error) {
				return s.Create(t.Context(), wanted(old), true)
			},
			finding: usergroup.Exists, left: 1,
		},
		"where case matters, another group is deleted": {
			isSensitive: true,
			begin: func(
				t *testing.T, e *emulator.Emulator, s *usergroup.Service, prior usergroup.Prior,
			) usergroup.Prior {
				e.Seed(emulator.Group{ID: id, Name: oldName})
				return adoptAgain(t, e, s, prior)
			},
			do: func(t *testing.T, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
				return s.Delete(t.Context(), prior)
			},
			finding: none, left: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, stored := emulator.New(e.options), id
				if e.isSensitive {
					stored = old
				}
				prior := operations["delete"].priorOf(service.Seed(emulator.Group{ID: stored, Name: oldName}))
				prior.ID = old
				s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					kept, body := received(r)
					if !e.isSensitive {
						folded := strings.ReplaceAll(body, strconv.Quote(old), strconv.Quote(id))
						kept = httptest.NewRequest(r.Method, r.URL.Path, strings.NewReader(folded))
						kept.Header = r.Header
					}
					return serve(service, kept).response()
				}), maxRetries, usergroup.Settings{})
				prior = e.begin(t, service, s, prior)
				result, err := e.do(t, s, prior)
				got := findingOf(err)
				if n := len(result.Warnings); n > 0 {
					got = result.Warnings[n-1].Finding
				}
				if got == usergroup.Kept && result.Warnings[0].Done != api.No {
					t.Error("the group was kept, and counts as deleted")
				}
				if got != e.finding || len(service.Groups()) != e.left {
					t.Errorf("the finding is %s, want %s; at the service: %v", got, e.finding, service.Groups())
				}
			})
		})
	}
}

// adoptAgain adopts the group at another address, under an ID in lower case. It returns the prior unchanged.
func adoptAgain(
	t *testing.T, _ *emulator.Emulator, s *usergroup.Service, prior usergroup.Prior,
) usergroup.Prior {
	t.Helper()
	result, err := s.Create(t.Context(), wanted(id), true)
	if err != nil || result.Instance == "" {
		t.Fatal(err)
	}
	return prior
}

// Case matters, and numbers are used again. Acme was deleted elsewhere, acme created with its number.
func TestNumbersUsedAgainInAnotherCase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{ReuseTeamIDs: true}, usergroup.Settings{})
		prior := operations["delete"].priorOf(s.emulator.Seed(emulator.Group{ID: "Acme", Name: oldName}))
		s.emulator.Remove("Acme")
		if _, err := s.Create(t.Context(), wanted("acme"), false); err != nil {
			t.Fatal(err)
		}
		s.emulator.Seed(emulator.Group{ID: "Acme", Name: "back"})
		result, err := s.Delete(t.Context(), prior)
		if err != nil || has(result.Warnings, usergroup.Kept) {
			t.Errorf("%v: another instance has acme, and not Acme: %v", err, s.emulator.Groups())
		}
	})
}

// TestAnAdoptedGroupIsKeptFromAnOldToken: the ID is enough, so that no service is asked that ignores the token.
func TestAnAdoptedGroupIsKeptFromAnOldToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{ForgivingDeletes: true}, usergroup.Settings{})
		prior := operations["delete"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.RotateBehind(id)
		if _, err := s.Create(t.Context(), wanted(id), true); err != nil {
			t.Fatal(err)
		}
		result, err := s.Delete(t.Context(), prior)
		if _, is := s.emulator.Group(id); !is || err != nil || result.Warnings[0].Finding != usergroup.Kept {
			t.Errorf("%v, %v; the group is there: %t", result.Warnings, err, is)
		}
	})
}
