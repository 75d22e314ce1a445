package provider

import (
	"cmp"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const titleDestroyedAndWanted = "User group %q is both managed and destroyed"

// planConflicts refuses plans that conflict together: a group that is destroyed at one address and wanted at another,
// since both are the same group at the service. It knows the plans of one process.
type planConflicts struct {
	explained *explained

	mu     sync.Mutex
	groups map[string]*plannedGroup
}

// plannedGroup is what the plan does with one user_group_id. The keys are values of private.Instance, which
// distinguishes addresses. A group that is yet to be created has none.
type plannedGroup struct {
	created         bool
	kept, destroyed map[string]bool
	made            string // the private.Instance of the last creation or adoption by this process
}

func newPlanConflicts(explained *explained) *planConflicts {
	return &planConflicts{explained: explained, groups: map[string]*plannedGroup{}}
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
		c.refuseConflict(group, id, diags)
	})
}

func (c *planConflicts) keep(id types.String, instance string, diags *diag.Diagnostics) {
	c.at(id, func(group *plannedGroup) {
		delete(group.destroyed, instance)
		group.kept[instance] = true
		c.refuseConflict(group, id, diags)
	})
}

func (c *planConflicts) destroy(id types.String, instance string, diags *diag.Diagnostics) {
	c.at(id, func(group *plannedGroup) {
		delete(group.kept, instance)
		group.destroyed[instance] = true
		c.refuseConflict(group, id, diags)
	})
}

// refuseConflict adds an error if the plan destroys the group at one address, and creates or keeps it at another. The
// engine does not order the two, so the customer would lose the group or, at best, only its token.
func (c *planConflicts) refuseConflict(group *plannedGroup, id types.String, diags *diag.Diagnostics) {
	if len(group.destroyed) > 0 && (group.created || len(group.kept) > 0) {
		c.explained.refuse(diags, "user_group_id", titleDestroyedAndWanted, id,
			"The plan destroys this group at one address, and creates or keeps it at another. Both are the same group, so it "+
				"would be deleted, or recreated with a different token"+unlessForgotten+".",
			"Nothing was changed.",
			"If the resource or its for_each key was renamed, add a moved block from the old address to the new one. If both "+
				"addresses are in the state, run `terraform state rm` for the one that the plan destroys. If the plan destroys a "+
				"deposed object, run `terraform state rm` for the resource, and import the group again. That command deletes no "+
				"group. To recreate the group on purpose, destroy it in one run and create it in the next.")
	}
}

// isMadeElsewhere reports whether this process has created or adopted the group for another instance. Then deleting
// this instance keeps the group, as usergroup.Service.Delete says.
func (c *planConflicts) isMadeElsewhere(id types.String, instance string) (elsewhere bool) {
	c.at(id, func(group *plannedGroup) { elsewhere = group.made != "" && group.made != instance })
	return elsewhere
}

// created and destroyed remove a planned creation or deletion after it was attempted, successfully or not, because it
// no longer conflicts with later plans. With create_before_destroy, the engine may plan the deletion of the old
// instance after it has created the new one. instance is that of the new group, or empty if there is none.
func (c *planConflicts) created(id types.String, instance string) {
	c.at(id, func(group *plannedGroup) {
		group.created = false
		group.made = cmp.Or(instance, group.made)
	})
}

func (c *planConflicts) destroyed(id types.String, instance string) {
	c.at(id, func(group *plannedGroup) { delete(group.destroyed, instance) })
}
