package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	titleDestroyedAndWanted = "User group %q is both managed and destroyed"
	titleNotDeleted         = "User group %q was not deleted"
	titleTooManyDeletions   = "More user groups would be deleted than max_deletions allows"
)

// planConflicts refuses plans whose parts only conflict together: a group that is destroyed at one address and wanted
// at another, since both are the same group at the service, and more deletions than max_deletions. Engines plan and
// apply in different processes, and do not plan every deletion, so each process counts the groups that it plans or
// attempts to delete.
type planConflicts struct {
	// maxDeletions is nil if there is no limit.
	maxDeletions *int64

	mu     sync.Mutex
	groups map[string]*plannedGroup
	// deletions are the IDs of the groups that the run plans or attempts to delete. explained is set once an error has
	// said that there are too many.
	deletions map[string]bool
	explained bool
}

// plannedGroup is what the plan does with one user_group_id. The keys are values of private.Instance, which
// distinguishes addresses. A group that is yet to be created has none.
type plannedGroup struct {
	created         bool
	kept, destroyed map[string]bool
	made            string // the private.Instance of the last creation or adoption by this process
}

func newPlanConflicts() *planConflicts {
	return &planConflicts{groups: map[string]*plannedGroup{}, deletions: map[string]bool{}}
}

// at calls do with the group that has the ID, while holding the lock. If the ID is unknown, it does nothing.
func (c *planConflicts) at(id types.String, do func(*plannedGroup)) {
	if id.IsUnknown() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	group := c.groups[id.ValueString()]
	if group == nil {
		group = &plannedGroup{kept: map[string]bool{}, destroyed: map[string]bool{}}
		c.groups[id.ValueString()] = group
	}
	do(group)
}

// create, keep and destroy record what the plan of one address does with a group.
func (c *planConflicts) create(id types.String, diags *diag.Diagnostics) {
	c.at(id, func(group *plannedGroup) {
		group.created = true
		group.refuseConflict(id, diags)
	})
}

func (c *planConflicts) keep(id types.String, instance string, diags *diag.Diagnostics) {
	c.at(id, func(group *plannedGroup) {
		if delete(group.destroyed, instance); len(group.destroyed) == 0 {
			delete(c.deletions, id.ValueString())
		}
		group.kept[instance] = true
		group.refuseConflict(id, diags)
	})
}

func (c *planConflicts) destroy(id types.String, instance string, diags *diag.Diagnostics) {
	c.at(id, func(group *plannedGroup) {
		delete(group.kept, instance)
		group.destroyed[instance] = true
		group.refuseConflict(id, diags)
		c.exceeds(group, id, instance, "Nothing was changed.", diags)
	})
}

// refuseConflict adds an error if the plan destroys the group at one address, and creates or keeps it at another. The
// engine does not order the two, so the customer would lose the group or, at best, only its token.
func (g *plannedGroup) refuseConflict(id types.String, diags *diag.Diagnostics) {
	if len(g.destroyed) > 0 && (g.created || len(g.kept) > 0) {
		diags.AddAttributeError(path.Root("user_group_id"), titleFor(titleDestroyedAndWanted, id.ValueString()),
			"The plan destroys this group at one address, and creates or keeps it at another. Both are the same group, so it "+
				"would be deleted, or recreated with a different token.\n\nNothing was changed.\n\nIf the resource or its "+
				"for_each key was renamed, add a moved block from the old address to the new one. If both addresses are in the "+
				"state, run `terraform state rm` for the one that the plan destroys. If the plan destroys a deposed object, run "+
				"`terraform state rm` for the resource, and import the group again. That command deletes no group. To recreate "+
				"the group on purpose, destroy it in one run and create it in the next.")
	}
}

// refuseDeletion adds an error if deleting the group exceeds max_deletions. This is the last check before the call, for
// the deletions that the engine did not plan with the provider.
func (c *planConflicts) refuseDeletion(id types.String, instance string, diags *diag.Diagnostics) (refused bool) {
	c.at(id, func(group *plannedGroup) {
		explained := c.explained
		refused = c.exceeds(group, id, instance, "This group and all further ones were not deleted.", diags)
		if refused && explained {
			diags.AddError(titleFor(titleNotDeleted, id.ValueString()), fmt.Sprintf("See the error %q.", titleTooManyDeletions))
		}
	})
	return refused
}

// exceeds counts the deletion of a group, and reports whether the deletions exceed max_deletions. It adds an error for
// the first one that does: one error fails the plan. A group that Delete keeps, because this process has created or
// adopted it for another instance, does not count.
func (c *planConflicts) exceeds(
	group *plannedGroup, id types.String, instance, done string, diags *diag.Diagnostics,
) bool {
	if group.made != "" && group.made != instance {
		return false
	}
	c.deletions[id.ValueString()] = true
	if c.maxDeletions == nil || int64(len(c.deletions)) <= *c.maxDeletions {
		return false
	}
	if !c.explained {
		c.explained = true
		diags.AddError(titleTooManyDeletions, fmt.Sprintf("This run deletes or replaces at least %d user groups, and "+
			"max_deletions is %d.\n\n%s\n\nIf you do not want to delete these groups, check what has changed: the list of "+
			"customers may be incomplete, and a resource or for_each key that was renamed needs a moved block. To delete "+
			"them, raise the limit for one run, for example with EMBED_MAX_DELETIONS if the provider block does not set it.",
			len(c.deletions), *c.maxDeletions, done))
	}
	return true
}

// created and destroyed remove a planned creation or deletion after it was attempted, successfully or not, because it
// no longer conflicts with later plans. With create_before_destroy, the engine may plan the deletion of the old
// instance after it has created the new one. instance is that of the new group, or empty if there is none.
func (c *planConflicts) created(id types.String, instance string) {
	c.at(id, func(group *plannedGroup) {
		group.created = false
		if instance != "" {
			group.made = instance
		}
	})
}

func (c *planConflicts) destroyed(id types.String, instance string) {
	c.at(id, func(group *plannedGroup) { delete(group.destroyed, instance) })
}

// tooMany reports whether an error has said that there are too many deletions.
func (c *planConflicts) tooMany() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.explained
}
