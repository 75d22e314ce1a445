package usergroup_test

import (
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

// A service accepts a rotation without a body, and carries it out a little later. Nothing says that it was not.
func TestAcceptedRotationsAreSentOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 202, 204} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := emulator.New(emulator.Options{RotationDelay: 3 * time.Second})
				prior := operations["rotate"].priorOf(e.Seed(emulator.Group{ID: id, Name: oldName}))
				s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					kept, _ := received(r)
					answer := serve(e, kept)
					if r.Method == http.MethodPost && answer.status == 200 {
						answer = reply{status: status}
					}
					return answer.response()
				}), maxRetries, usergroup.Settings{})
				_, err := s.RotateToken(t.Context(), prior)
				rotated := 0
				for _, call := range e.Calls() {
					if call.Rotated {
						rotated++
					}
				}
				if rotated != 1 {
					t.Errorf("%d: one rotation was asked for, and %d were carried out: %v", status, rotated, err)
				}
			})
		})
	}
}

// A rotation that is sent again takes a retry.
func TestRotationsTakeRetries(t *testing.T) {
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
				_, err := s.RotateToken(t.Context(), prior)
				if posts > most+1 {
					t.Errorf("with max_retries = %d, the rotation is sent %d times: %v", most, posts, err)
				}
			})
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
		result, err := s.RotateToken(t.Context(), prior)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := e.Group(id); result.Group.Token.Reveal() != after.Token {
			t.Error("the state has the token from before the last rotation")
		}
	})
}
