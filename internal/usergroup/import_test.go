package usergroup_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestFindForImport: an import must use a lookup that the same process has just made, but only if nothing has happened
// to the group since, and only once.
func TestFindForImport(t *testing.T) {
	t.Parallel()
	nothing := func(*testing.T, *history, usergroup.Found) {}
	for name, test := range map[string]struct {
		before  string
		script  []string // mishaps of the first lookup
		between func(*testing.T, *history, usergroup.Found)
		calls   int // of the import
	}{
		"at once": {"exists", nil, nothing, 0},
		"in time": {"exists", nil, func(*testing.T, *history, usergroup.Found) {
			time.Sleep(5*time.Minute - time.Second)
		}, 0},
		"too late":       {"exists", nil, func(*testing.T, *history, usergroup.Found) { time.Sleep(5 * time.Minute) }, 1},
		"after a mishap": {"exists", []string{"lost after the work"}, nothing, 1},
		"a second time": {"exists", nil, func(t *testing.T, h *history, _ usergroup.Found) {
			if _, err := h.service.FindForImport(t.Context(), id); err != nil {
				t.Error(err)
			}
		}, 1},
		"of an empty group": {"nameless", nil, nothing, 1},
		"after a refresh": {"exists", nil, func(t *testing.T, h *history, found usergroup.Found) {
			if _, err := h.service.Find(t.Context(), known(found)); err != nil {
				t.Error(err)
			}
		}, 1},
		"after an update": {"exists", nil, func(t *testing.T, h *history, found usergroup.Found) {
			if _, err := h.service.Update(t.Context(), wanted(), known(found)); err != nil {
				t.Error(err)
			}
		}, 1},
		"after a rotation": {"exists", nil, func(t *testing.T, h *history, found usergroup.Found) {
			if _, err := h.service.RotateToken(t.Context(), known(found)); err != nil {
				t.Error(err)
			}
		}, 1},
		"after a creation that failed": {"exists", nil, func(t *testing.T, h *history, _ usergroup.Found) {
			if _, err := h.service.Create(t.Context(), wanted(), false); err == nil {
				t.Error("an existing group was created")
			}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := situationOf("import", test.before, "stored", "").start(t)
				h.script = test.script
				found, err := h.service.Find(t.Context(), usergroup.Known{ID: id})
				if err != nil {
					t.Fatal(err)
				}
				test.between(t, h, found)
				before := len(h.Calls())
				imported, err := h.service.FindForImport(t.Context(), id)
				group, _ := h.Group(id)
				name := ""
				if imported.Name != nil {
					name = *imported.Name
				}
				if err != nil || imported.Token.Reveal() != group.Token || name != group.Name {
					t.Errorf("the import found %+v, %v", imported.UserGroup, err)
				}
				if calls := len(h.Calls()) - before; calls != test.calls {
					t.Errorf("the import made %d calls, want %d", calls, test.calls)
				}
			})
		})
	}
}

func known(found usergroup.Found) usergroup.Known {
	return usergroup.Known{ID: id, TeamID: found.TeamID, Token: found.Token, Fingerprint: found.Token.Fingerprint()}
}
