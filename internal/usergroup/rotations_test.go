package usergroup_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// A rotation that is lost is sent once, however many retries there are.
func TestRotationsAreSentOnce(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 1} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := emulator.New(emulator.Options{})
				prior := operations["rotate"].priorOf(e.Seed(emulator.Group{ID: id, Name: oldName}))
				posts := 0
				s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					kept, _ := received(r)
					if r.Method == http.MethodPost {
						posts++
						return refusal(500).response()
					}
					return serve(e, kept).response()
				}), most, usergroup.Settings{})
				_, err := rotate(t.Context(), s, prior)
				if posts != 1 {
					t.Errorf("with max_retries = %d, the rotation is sent %d times: %v", most, posts, err)
				}
			})
		})
	}
}

// A second rotation within a minute is lost, and lookups still show the token from before the first one. That is no
// sign of a rotation.
func TestALaggingLookupShowsNoRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const lag = 30 * time.Second // longer than all retries take
		s := newStranger(emulator.Options{ReplicaLag: lag}, usergroup.Settings{})
		prior := operations["rotate"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		time.Sleep(lag)
		first, err := rotate(t.Context(), s.Service, prior)
		if err != nil {
			t.Fatal(err)
		}
		prior.Previous, prior.RotatedAt = first.Previous, time.Now()
		prior.Token, prior.Fingerprint = first.Group.Token, first.Group.Token.Fingerprint()
		s.emulator.Fail(emulator.Fault{Method: http.MethodPost, Nth: 1, Kind: emulator.Error500AfterWork})
		result, err := rotate(t.Context(), s.Service, prior)
		if findingOf(err) != usergroup.CallFailed || problemOf(err).Done != api.Maybe || result.Group != nil {
			t.Errorf("%v: %v", result.Group, err)
		}
	})
}

// A rate limit says nothing about the token, so no lookup follows.
func TestLimitedRotationsAreNotLookedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{}, usergroup.Settings{})
		prior := operations["rotate"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.Fail(emulator.Fault{Method: http.MethodPost, Kind: emulator.Answer, Status: 429})
		_, err := rotate(t.Context(), s.Service, prior)
		for _, call := range s.emulator.Calls() {
			if call.Method != http.MethodPost {
				t.Errorf("%s was sent after %v", call, err)
			}
		}
		if err == nil {
			t.Error("the rotation succeeded")
		}
	})
}

// The service has ended its work on a rotation if it responds without the new token. So the lookup need not wait.
func TestIncompleteRotationsAreLookedUpAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{}, usergroup.Settings{})
		prior := operations["rotate"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.Fail(emulator.Fault{Method: http.MethodPost, Nth: 1, Kind: emulator.NoToken})
		begun := time.Now()
		result, err := rotate(t.Context(), s.Service, prior)
		group, _ := s.emulator.Group(id)
		if took := time.Since(begun); took > 0 || err != nil || result.Group.Token.Reveal() != group.Token {
			t.Errorf("it took %s: %v", took, err)
		}
	})
}

// A service reports success without a token, and lookups go on showing the one that was sent. It may rotate it later.
func TestASuccessWithoutATokenProvesNoRotation(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"success":1}`, `{"success":1,"user_group":{"team_id":1001,"provided_id":"acme"}}`} {
		synctest.Test(t, func(t *testing.T) {
			e, rotations := emulator.New(emulator.Options{}), 0
			prior := operations["rotate"].priorOf(e.Seed(emulator.Group{ID: id, Name: oldName}))
			s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
				kept, _ := received(r)
				if r.Method == http.MethodPost {
					rotations++
					return reply{status: http.StatusOK, body: []byte(body)}.response()
				}
				return serve(e, kept).response()
			}), maxRetries, usergroup.Settings{})
			_, err := rotate(t.Context(), s, prior)
			if err == nil || problemOf(err).Done != api.Maybe || rotations != 1 {
				t.Errorf("%s: %d rotations; %v", body, rotations, err)
			}
		})
	}
}

// A group is rotated twice within the lag of a replica. The second response shows the token from before the first
// rotation, which the state knows to be dead.
func TestRotationsBelieveNoOlderToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := emulator.New(emulator.Options{})
		first := e.Seed(emulator.Group{ID: id, Name: oldName})
		e.RotateBehind(id)
		now, _ := e.Group(id)
		prior := operations["rotate"].priorOf(now)
		prior.Previous, prior.RotatedAt = api.NewSecret(first.Token).Fingerprint(), time.Now()
		s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
			kept, _ := received(r)
			answer := serve(e, kept)
			if r.Method == http.MethodPost {
				after, _ := e.Group(id)
				answer.body = []byte(strings.ReplaceAll(string(answer.body), after.Token, first.Token))
			}
			return answer.response()
		}), maxRetries, usergroup.Settings{})
		result, err := rotate(t.Context(), s, prior)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := e.Group(id); result.Group.Token.Reveal() != after.Token {
			t.Error("the state has the token from before the last rotation")
		}
	})
}

// A gateway responds although the service is still at work on the rotation, as routers do that wait for 30 seconds.
// Only what the service itself says about its own failure shows that the rotation has ended.
// So does a service that accepts a rotation without a body, and carries it out a little later.
func TestRotationsThatEndLaterAreSentOnce(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]reply{
		"200": {status: 200}, "202": {status: 202}, "204": {status: 204},
		"502": page(502), "503": page(503), "503 without a body": {status: 503}, "504": page(504), "520": page(520),
		"503 in JSON": {status: 503, body: []byte(`{"message":"Service Unavailable"}`)},
		"522":         page(522), "524": page(524), "530": page(530), "599": page(599), "307": page(307),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := emulator.New(emulator.Options{RotationDelay: 5 * time.Second})
				prior := operations["rotate"].priorOf(e.Seed(emulator.Group{ID: id, Name: oldName}))
				s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					kept, _ := received(r)
					own := serve(e, kept)
					if r.Method == http.MethodPost {
						return answer.response()
					}
					return own.response()
				}), maxRetries, usergroup.Settings{})
				result, err := rotate(t.Context(), s, prior)
				group, _ := e.Group(id)
				if n := rotations(e); n != 1 {
					t.Errorf("one rotation was asked for, and %d were carried out: %v", n, err)
				}
				if err != nil || result.Group.Token.Reveal() != group.Token {
					t.Errorf("the state does not have the new token: %v", err)
				}
			})
		})
	}
}

// rotations returns how many rotations the service has carried out.
func rotations(e *emulator.Emulator) (n int) {
	for _, call := range e.Calls() {
		if call.Rotated {
			n++
		}
	}
	return n
}

// Two groups are missing, or were replaced. Where a service refuses their tokens as it refuses a key, the lookup that
// shows it explains the refusal. The rotation of a third one must not end because of that.
func TestRotationsOfMissingGroupsEndNoRotations(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403} {
		for name, change := range map[string]func(*emulator.Emulator, string){
			"missing":  func(e *emulator.Emulator, id string) { e.Remove(id) },
			"replaced": func(e *emulator.Emulator, id string) { e.Replace(id) },
		} {
			t.Run(fmt.Sprint(status, name), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newStranger(emulator.Options{StaleTokenStatus: status}, usergroup.Settings{})
					var priors []usergroup.Prior
					for i := range 4 {
						group := s.emulator.Seed(emulator.Group{ID: fmt.Sprint(id, i)})
						priors = append(priors, operations["rotate"].priorOf(group))
						if i < 2 {
							change(s.emulator, group.ID)
						}
					}
					for i, prior := range priors {
						time.Sleep(time.Second)
						_, err := rotate(context.Background(), s.Service, prior)
						if i >= 2 && err != nil {
							t.Errorf("%d: %v, caused by %v", i, err, problemOf(err).Cause)
						}
					}
				})
			})
		}
	}
}
