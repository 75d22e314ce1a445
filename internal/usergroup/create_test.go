package usergroup_test

import (
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestCreationAfterDeletion: a creation that meets the group that this process has just deleted must wait until lookups
// no longer show it, and must not report or adopt it.
func TestCreationAfterDeletion(t *testing.T) {
	t.Parallel()
	for _, adopt := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := situationOf("create, replacing", "as known", "lagging reads", "").start(t)
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
