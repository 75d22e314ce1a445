package usergroup_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestInstances: if a replacement is created before the old instance is destroyed, both are the same group.
// Destroying the old instance must keep it.
func TestInstances(t *testing.T) {
	t.Parallel()
	h := situationOf("adopt", "exists", "stored", "").start(t)
	ctx := context.Background()
	adopted, err := h.service.Create(ctx, wanted(), true)
	if err != nil {
		t.Fatal(err)
	}
	group, _ := h.Group(id)
	old := usergroup.Known{ID: id, TeamID: &group.TeamID, Token: adopted.Group.Token, Instance: "old"}
	kept, err := h.service.Delete(ctx, old, "")
	_, there := h.Group(id)
	if err != nil || !there || len(kept.Warnings) != 1 || kept.Warnings[0].Finding != usergroup.Kept {
		t.Errorf("destroying the old instance did not keep the group with one warning: %v, %v", kept.Warnings, err)
	}
	calls := len(h.Calls())
	if _, err := h.service.Create(ctx, wanted(), true); err == nil || len(h.Calls()) != calls+1 {
		t.Errorf("a second address adopted the group of the first, or asked for it %d times: %v", len(h.Calls())-calls, err)
	}
	own := old
	own.Instance = adopted.Instance
	if _, err := h.service.Delete(ctx, own, ""); err != nil || h.Deletions(id) != 1 {
		t.Errorf("destroying the new instance did not delete the group once: %v", err)
	}
	created, err := h.service.Create(ctx, wanted(), false)
	if err != nil || len(created.Warnings) != 1 || created.Warnings[0].Finding != usergroup.Recreated {
		t.Errorf("creating the deleted group again returned the warnings %v, error %v", created.Warnings, err)
	}
	var exists *usergroup.Problem
	if _, err := h.service.Create(ctx, wanted(), false); !errors.As(err, &exists) || exists.AfterDeletion {
		t.Errorf("creating it once more ended in %v", err)
	}
}

// TestTokensAreRemembered: a response that reports a group as new whose token this process knows must be recognized as
// one from a cache.
func TestTokensAreRemembered(t *testing.T) {
	t.Parallel()
	h := situationOf("adopt", "exists", "stored", "").start(t)
	h.operate(t.Context())
	h.script = []string{"an old answer"}
	h.answers = h.answers[:1] // the response to the creation
	calls := len(h.Calls())
	var problem *usergroup.Problem
	_, err := h.service.Find(t.Context(), usergroup.Known{ID: id})
	if !errors.As(err, &problem) || problem.Finding != usergroup.AnsweredFromCache || len(h.Calls()) != calls {
		t.Errorf("%d calls, %v", len(h.Calls())-calls, err)
	}
}

// TestClaimOfAnother: a group that replaces the one that a repeated creation has met must not be claimed, even if it is
// as wanted.
func TestClaimOfAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := situationOf("create", "alike", "stored", "").start(t)
		h.script = []string{"lost before the work"}
		h.restless = func() {
			if group, _ := h.Group(id); len(h.Calls()) == 1 {
				h.Remove(id)
				group.Token, group.TeamID = "", 0
				h.Seed(group)
			}
		}
		h.operate(t.Context())
		if len(h.problems) != 1 || h.problems[0].Finding != usergroup.MayHaveExisted {
			t.Errorf("%v", h.problems)
		}
	})
}

// TestCreationAfterDeletion: a creation that meets the group that this process has just deleted must wait until lookups
// no longer show it, and must not report or adopt it.
func TestCreationAfterDeletion(t *testing.T) {
	t.Parallel()
	for before, adopt := range map[string]bool{"as known": false, "other token": true} {
		synctest.Test(t, func(t *testing.T) {
			h := situationOf("create, replacing", before, "lagging reads", "").start(t)
			service := usergroup.New(newClient(h.world, maxRetries), "")
			old, _ := h.Group(id)
			if _, err := service.Delete(t.Context(), h.state.asKnown(), ""); err != nil {
				t.Fatal(err)
			}
			created, err := service.Create(t.Context(), wanted(), adopt)
			if err != nil {
				t.Fatal(err)
			}
			group, _ := h.Group(id)
			if group.TeamID == old.TeamID || created.Group.Token != api.NewSecret(group.Token) ||
				len(created.Warnings) != 1 || created.Warnings[0].Finding != usergroup.Recreated {
				t.Errorf("the service has %+v; %v", group, created.Warnings)
			}
		})
	}
}

// TestClaimOfTheGroupThatWasDeleted: a creation or an adoption whose response is lost must not take a group for its own
// that this process has deleted, and that lookups still show.
func TestClaimOfTheGroupThatWasDeleted(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := situationOf("create, replacing", "as known", "lagging reads", "").start(t)
			h.operation.adopts = adopts
			h.Change(id, func(g *emulator.Group) { g.Name, g.Properties = newName, []byte(`{"tier":"gold"}`) })
			h.script = []string{"answered", "lost after the work"}
			h.operate(t.Context())
			if len(h.problems) != 1 || h.problems[0].Finding != usergroup.MayHaveExisted || !h.problems[0].AfterDeletion {
				t.Errorf("adopts %t: %v", adopts, h.problems)
			}
		})
	}
}

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
