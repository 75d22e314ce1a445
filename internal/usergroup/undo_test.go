package usergroup

import (
	"errors"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The shell that a lookup has made is gone before it is removed, and somebody else's group is there instead.
func TestUndoLeavesSomebodyElsesGroup(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	first := true
	e.BeforeCall(func(call emulator.Call) {
		if call.Method == "DELETE" && first {
			first = false
			e.Remove(id)
			e.Seed(emulator.Group{ID: id, Name: "Somebody else's"})
		}
	})
	_, err := s.Find(t.Context(), Known{ID: id})
	if !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	wantTrace(t, e, "GET/created > DELETE > GET")
	if group, exists := e.Group(id); !exists || group.Name != "Somebody else's" {
		t.Error("somebody else's group was deleted")
	}
}

// The same after a removal whose answer got lost.
func TestUndoLostLeavesSomebodyElsesGroup(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork})
	removals := 0
	e.BeforeCall(func(call emulator.Call) {
		if call.Method == "DELETE" {
			if removals++; removals == 2 {
				e.Seed(emulator.Group{ID: id, Name: "Somebody else's"})
			}
		}
	})
	_, err := s.Find(t.Context(), Known{ID: id})
	if !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	wantTrace(t, e, "GET/created > DELETE/deleted > DELETE > GET")
	if _, exists := e.Group(id); !exists {
		t.Error("somebody else's group was deleted")
	}
}

// The shell cannot be removed at first, and the look at why is answered about another group: nothing more is deleted.
func TestUndoIsAnsweredForAnotherGroup(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.Refuse})
	e.Fail(emulator.Fault{Method: "GET", Nth: 2, Kind: emulator.Answer, Body: `{"success":1,"new_user_group":false,"user_group":{"team_id":5,"token":"ugt_foreign","provided_id":"other"}}`})
	_, err := s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleLeftBehind, `answered about "other"`, removalCommand(id))
	wantTrace(t, e, "GET/created > DELETE > GET")
	wantLeft(t, e, emulator.Group{}, shell)
}

// All that is known of the shell is that the lookup has made it: whatever answers afterwards may be somebody else's.
func TestUndoOfAShellThatNobodyCanIdentify(t *testing.T) {
	t.Parallel()
	for _, removal := range []emulator.FaultKind{emulator.Unavailable503, emulator.Refuse} {
		t.Run(removal.String(), func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{})
			for nth := range maxRetries + 1 {
				e.Fail(emulator.Fault{Method: "GET", Nth: nth + 1, Kind: emulator.NoToken})
			}
			e.Fail(emulator.Fault{Method: "DELETE", Kind: removal})
			_, err := s.Find(t.Context(), Known{ID: id})
			wantOutcome(t, Result{}, err, titleLeftBehind, removalCommand(id))
			wantLeft(t, e, emulator.Group{}, shell)
		})
	}
}

// The second attempt to remove a shell goes by the token too, so that nobody else's group is meant.
func TestUndoGoesByTheToken(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.Refuse})
	_, err := s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleNotFound)
	wantBodies(t, e, "GET "+idOnly, "DELETE "+tokenAndID, "GET "+idOnly, "DELETE "+tokenAndID)
	wantLeft(t, e, emulator.Group{}, nothing)
}
