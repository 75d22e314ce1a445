package emulator_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestHookRunsBetweenTwoCalls(t *testing.T) {
	e, c := start(t, emulator.Options{})
	seeded := e.Seed(emulator.Group{ID: "acme"})
	var seen []emulator.Call
	e.BeforeCall(func(call emulator.Call) {
		seen = append(seen, call)
		if call.Method == "POST" {
			e.RotateBehind(call.ID)
			e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.Unavailable503})
		}
		e.Calls()
		e.Groups()
	})
	c.succeed(t, "GET", byID("acme"))
	c.refused(t, "POST", byToken(seeded.Token), 404, "current_token")
	if got := c.send("GET", byID("acme")); got.status != 503 {
		t.Errorf("the fault of the hook did not strike: %+v", got)
	}
	e.BeforeCall(nil)
	c.succeed(t, "GET", byID("acme"))
	if len(seen) != 3 || seen[1].Method != "POST" || seen[1].ID != "acme" || string(seen[1].Body) != byToken(seeded.Token) || seen[1].Status != 0 {
		t.Errorf("the hook saw %+v", seen)
	}
	if e.Rotations("acme") != 0 {
		t.Error("a rotation behind the back was counted")
	}
}

func TestHookCanFailTheVeryCall(t *testing.T) {
	e, c := start(t, emulator.Options{})
	e.BeforeCall(func(emulator.Call) { e.Fail(emulator.Fault{Nth: 1, Kind: emulator.Refuse}) })
	c.refused(t, "GET", byID("acme"), 400, "service")
}

func TestConnectionsAndReset(t *testing.T) {
	e, c := start(t, emulator.Options{})
	for range 3 {
		c.succeed(t, "GET", byID("acme"))
	}
	if e.Connections() != 1 {
		t.Errorf("%d connections for a kept one", e.Connections())
	}
	c.fresh().succeed(t, "GET", byID("acme"))
	calls := e.Calls()
	if e.Connections() != 2 || calls[0].Connection != calls[2].Connection || calls[0].Connection == calls[3].Connection {
		t.Errorf("%d connections, calls %+v", e.Connections(), calls)
	}
	for i := 1; i < len(calls); i++ {
		if calls[i].At.Before(calls[i-1].At) {
			t.Errorf("call %d is older than the one before", i)
		}
	}

	e.Fail(emulator.Fault{Nth: 1, Kind: emulator.Refuse})
	e.ResetCounts()
	if len(e.Calls()) != 0 || e.Connections() != 0 || e.Count("GET") != 0 || e.Creations("acme") != 0 || len(e.Groups()) != 1 || e.FaultsWaiting() != 1 {
		t.Errorf("after ResetCounts: %+v", e.Calls())
	}
	c.refused(t, "GET", byID("acme"), 400, "service")
	if e.Connections() != 0 || e.Count("GET") != 1 {
		t.Errorf("%d new connections, %d calls", e.Connections(), e.Count("GET"))
	}
}

func TestCloseEndsWaitingCalls(t *testing.T) {
	e, c := start(t, emulator.Options{})
	arrived := make(chan struct{}, 2)
	e.BeforeCall(func(emulator.Call) { arrived <- struct{}{} })
	e.Fail(emulator.Fault{ID: "before", Kind: emulator.DelayBefore, Delay: time.Hour})
	e.Fail(emulator.Fault{ID: "after", Kind: emulator.Delay, Delay: time.Hour})
	var callers sync.WaitGroup
	for _, id := range []string{"before", "after"} {
		callers.Go(func() {
			if got := c.fresh().send("GET", byID(id)); got.err == nil {
				t.Errorf("%s was answered: %+v", id, got)
			}
		})
	}
	<-arrived
	<-arrived
	for e.Creations("after") == 0 {
		time.Sleep(time.Millisecond)
	}
	begin := time.Now()
	e.Close()
	e.Close()
	callers.Wait()
	if took := time.Since(begin); took >= 2*time.Second {
		t.Errorf("Close took %s", took)
	}
	if e.Creations("before") != 0 {
		t.Error("a call worked on after Close")
	}
	if got := c.send("GET", byID("late")); got.err == nil {
		t.Error("the service still answers")
	}
}

func TestConcurrentCallers(t *testing.T) {
	const workers, rounds = 16, 15
	e, c := start(t, emulator.Options{})
	var creations, rotations sync.Map
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			own := c
			if worker%4 == 0 {
				own = c.fresh()
			}
			for round := range rounds {
				id := fmt.Sprint("shared-", round)
				parsed, err := own.send("GET", byID(id)).parse()
				if err != nil || parsed.Group == nil {
					t.Errorf("GET: %v", err)
					return
				}
				if *parsed.IsNew {
					if _, twice := creations.LoadOrStore(id, worker); twice {
						t.Errorf("%s was created twice", id)
					}
				}
				token := *parsed.Group.Token
				if turned, err := own.send("POST", byToken(token)).parse(); err == nil && *turned.Success == 1 {
					if _, twice := rotations.LoadOrStore(token, worker); twice {
						t.Errorf("one token was rotated twice")
					}
				}
				own.send("PUT", fmt.Sprintf(`{"user_group_id":%q,"name":"%d","properties":{"w":%d}}`, id, worker, worker))
				e.Groups()
				e.Change(id, func(g *emulator.Group) { g.Name += "!" })
				e.Count("GET")
			}
		})
	}
	all.Wait()
	e.WaitIdle()
	if got := len(e.Groups()); got != rounds {
		t.Errorf("%d groups, want %d", got, rounds)
	}
	if calls := len(e.Calls()); calls != workers*rounds*3 {
		t.Errorf("%d calls, want %d", calls, workers*rounds*3)
	}
	rotated := 0
	rotations.Range(func(any, any) bool { rotated++; return true })
	recorded, teams := 0, map[int64]bool{}
	for _, group := range e.Groups() {
		recorded += e.Rotations(group.ID)
		teams[group.TeamID] = true
		if e.Creations(group.ID) != 1 || e.Updates(group.ID) != workers {
			t.Errorf("%s: %d creations, %d updates", group.ID, e.Creations(group.ID), e.Updates(group.ID))
		}
	}
	if rotated != recorded || rotated < rounds || len(teams) != rounds {
		t.Errorf("%d rotations answered, %d recorded, %d team ids", rotated, recorded, len(teams))
	}
}

func TestConcurrentCallersGetThroughRandomFaults(t *testing.T) {
	e, c := start(t, emulator.Options{})
	e.FailRandomly(11, 2, emulator.CutAfterWork, emulator.CutBefore, emulator.Error500AfterWork, emulator.HalfDocument, emulator.CutInDocument, emulator.Unavailable503)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			id := fmt.Sprint("group-", worker)
			for range 10 {
				through := false
				for try := 0; try < 5 && !through; try++ {
					got := c.send("PUT", byID(id))
					if got.status == 404 {
						got = c.send("GET", byID(id))
					}
					parsed, err := got.parse()
					through = err == nil && *parsed.Success == 1
				}
				if !through {
					t.Errorf("%s did not get through", id)
				}
			}
		})
	}
	all.Wait()
	if got := len(e.Groups()); got != 8 {
		t.Errorf("%d groups", got)
	}
}
