package emulator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const second = time.Second

var (
	rotatedStale = strings.Replace(rotated, "new-token", "tok", 1)
	foundRotated = strings.Replace(found, `"tok"`, `"new-token"`, 1)
	afterRotated = strings.Replace(before, " tok ", " new-token ", 1)
	isThere      = strings.Replace(isNew, "true", "false", 1)
)

// moment is a call at a time, counted from the start, and how the response begins. Without a call, it is what is
// stored. A pause before the response is told as, for example, "3s later 200".
type moment struct {
	at   time.Duration
	call string
	want string
}

// TestTimes plays calls in virtual time.
func TestTimes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options opts
		moments []moment
	}{
		"a slow rotation": {opts{RotationTime: 40 * second}, []moment{
			{0, rotate, "40s later " + rotated},
			{40 * second, rotate, "40s later " + stale},
			{80 * second, lookUp, foundRotated},
		}},
		"a slow rotation that is refused": {opts{RotationTime: 9 * second}, []moment{
			{0, unknown, "9s later " + stale},
		}},
		"a queued rotation": {opts{RotationDelay: 5 * second}, []moment{
			{0, rotate, rotatedStale},
			{4 * second, lookUp, found},
			{5 * second, lookUp, foundRotated},
		}},
		"a queued rotation of a group that goes": {opts{RotationDelay: 5 * second}, []moment{
			{0, rotate, rotatedStale},
			{4 * second, remove, done},
			{5 * second, "", ""},
		}},
		"a queued deletion": {opts{DeletionDelay: 5 * second}, []moment{
			{0, remove, done},
			{4 * second, lookUp, found},
			{4 * second, rotate, rotated},
			{5 * second, "", ""},
			{5 * second, lookUp, `200 {"success":1,"new_user_group":true,"user_group":{"team_id":1001,`},
			{11 * second, lookUp, `200 {"success":1,"new_user_group":false,"user_group":{"team_id":1001,`},
		}},
		"a replica": {opts{ReplicaLag: 2 * second}, []moment{
			{0, lookUp, found},
			{1 * second, rotate, rotated},
			{2 * second, lookUp, found},
			{3 * second, lookUp, foundRotated},
			{4 * second, create, isNew},
			{4 * second, create, isThere},
			{7 * second, `DELETE {"user_group_id":"n"}`, done},
			{7 * second, `PUT {"user_group_id":"n"}`, absent},
			{8 * second, create, isThere},
			{9 * second, create, strings.Replace(isNew, "1001", "1002", 1)},
		}},
		"a replica, and lookups that write": {opts{ReplicaLag: 2 * second, GetOverwrites: true}, []moment{
			{0, remove, done},
			{0, lookUp, `200 {"success":1,"new_user_group":true,`},
		}},
		"a limit with a status": {opts{RateLimit: 1, RateLimitStatus: 403}, []moment{
			{0, lookUp, found},
			{0, lookUp, `403 Retry-After: 1 {"success":0,`},
			{second, lookUp, found},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, test.options)
				start := time.Now()
				for _, m := range test.moments {
					time.Sleep(m.at - time.Since(start))
					asked, got := time.Now(), ""
					if m.call != "" {
						got = w.ask(m.call)
					} else {
						got = w.stored()
					}
					if took := time.Since(asked); took > 0 {
						got = fmt.Sprint(took, " later ", got)
					}
					if !strings.HasPrefix(got, m.want) || m.want == "" && got != "" {
						t.Errorf("at %s %s\ngot  %s\nwant %s", m.at, m.call, got, m.want)
					}
				}
			})
		})
	}
}

// TestSlowCallsCheckFirst: two rotations with the same token are both carried out if the second one comes while the
// service works on the first one. That a caller gives up changes nothing.
func TestSlowCallsCheckFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, opts{RotationTime: 40 * time.Second})
		for range 2 {
			ctx, giveUp := context.WithTimeout(t.Context(), 30*time.Second)
			begin := time.Now()
			w.answer(request(t, rotate).WithContext(ctx))
			w.is("given up", time.Since(begin).String(), "30s")
			giveUp()
		}
		w.is("meanwhile", fmt.Sprint(w.recorded().Status, w.Count("POST", "acme"), w.Count("rotated", "acme")), "0 2 1")
		w.WaitIdle()
		w.is("at the end", fmt.Sprint(w.recorded().Status, w.Count("POST", "acme"), w.Count("rotated", "acme")), "200 2 2")
		w.is("stored", w.stored(), afterRotated)
	})
}

// TestWaitIdle waits for all that calls have asked for, but not for what lookups see.
func TestWaitIdle(t *testing.T) {
	t.Parallel()
	for options, want := range map[*opts]string{
		{DeletionDelay: 3 * second}: "3s",
		{RotationDelay: 4 * second}: "4s",
		{ReplicaLag: second}:        "0s",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, *options)
			w.ask(rotate)
			w.ask(`DELETE {"user_group_id":"acme"}`)
			begin := time.Now()
			w.WaitIdle()
			w.is(fmt.Sprintf("%+v", *options), time.Since(begin).String(), want)
			w.is("stored", w.stored(), "")
		})
	}
}

// TestSameTeamIDs: the groups of two environments share numbers only with the option.
func TestSameTeamIDs(t *testing.T) {
	t.Parallel()
	environments := map[string]string{emulator.DefaultKey: "Customer", "other": "Testing"}
	for same, want := range map[bool]string{true: `"team_id":1001,`, false: `"team_id":1002,`} {
		w := &world{T: t, Emulator: emulator.New(opts{SameTeamIDs: same, Environments: environments, ReuseTeamIDs: true})}
		w.matches("Customer", w.ask(create), `"team_id":1001,`)
		other := request(t, create)
		other.Header.Set("Authorization", "Token other")
		w.matches("Testing", w.answer(other), want)
	}
}
