package provider

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	titlePlannedTwice       = "User group %q is planned twice"
	titleInStateTwice       = "User group %q is in the state twice"
	titleDestroyedAndWanted = "User group %q is both managed and destroyed"
)

// plannedGroups records, by user_group_id, which groups a run plans to create, to keep and to destroy. Two addresses
// with the same ID are the same group at the service, so their plans may conflict. memory.Instance distinguishes the
// addresses, but a group that is yet to be created has none.
type plannedGroups struct {
	mu     sync.Mutex
	groups map[string]*plannedGroup
}

type plannedGroup struct {
	creations       int
	kept, destroyed map[string]bool // keys are values of memory.Instance
}

func newPlannedGroups() *plannedGroups { return &plannedGroups{groups: map[string]*plannedGroup{}} }

// at calls do with the group that has the ID, while holding the lock. If the ID is unknown, it does nothing.
func (p *plannedGroups) at(id types.String, do func(*plannedGroup)) {
	if id.IsUnknown() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	group := p.groups[id.ValueString()]
	if group == nil {
		group = &plannedGroup{kept: map[string]bool{}, destroyed: map[string]bool{}}
		p.groups[id.ValueString()] = group
	}
	do(group)
}

func (p *plannedGroups) create(id types.String, diags *diag.Diagnostics) {
	p.at(id, func(group *plannedGroup) {
		if group.creations++; group.creations > 1 {
			// This is not an error, because the engine may have planned the same address twice. If there are two
			// addresses, Create refuses the second one.
			diags.AddAttributeWarning(path.Root("user_group_id"), titleFor(titlePlannedTwice, id.ValueString()),
				"Two resource blocks, or two instances, have this user_group_id, so they are the same group at the "+
					"service. The apply creates it for one of them and fails for the other.\n\nRemove one of the two.")
		}
		group.refuseConflict(id, diags)
	})
}

func (p *plannedGroups) keep(id types.String, instance string, diags *diag.Diagnostics) {
	p.at(id, func(group *plannedGroup) {
		if instance != "" {
			delete(group.destroyed, instance)
		}
		group.kept[instance] = true
		if len(group.kept) > 1 {
			diags.AddAttributeError(path.Root("user_group_id"), titleFor(titleInStateTwice, id.ValueString()),
				"Two addresses in the state have this user_group_id, so they are the same group at the service. "+
					"Each apply would update it for one address and then for the other.\n\nNothing was "+
					"changed.\n\nRemove one of the two from the configuration, and from the state with `terraform state "+
					"rm`, which deletes nothing.")
		}
		group.refuseConflict(id, diags)
	})
}

func (p *plannedGroups) destroy(id types.String, instance string, diags *diag.Diagnostics) {
	p.at(id, func(group *plannedGroup) {
		if instance != "" {
			delete(group.kept, instance)
		}
		group.destroyed[instance] = true
		group.refuseConflict(id, diags)
	})
}

// refuseConflict adds an error if the plan destroys the group at one address, and creates or keeps it at another. The
// engine does not order the two, so the customer would lose the group or, at best, only its token.
func (g *plannedGroup) refuseConflict(id types.String, diags *diag.Diagnostics) {
	if len(g.destroyed) > 0 && (g.creations > 0 || len(g.kept) > 0) {
		diags.AddAttributeError(path.Root("user_group_id"), titleFor(titleDestroyedAndWanted, id.ValueString()),
			"The plan destroys this group at one address, and creates or keeps it at another. Both are the same "+
				"group at the service, so it would be deleted, or recreated with a different token.\n\nNothing was "+
				"changed.\n\nIf the resource or its for_each key was renamed, add a moved block from the old address to "+
				"the new one, or run `terraform state mv`. If both addresses are in the state, or the plan shows a "+
				"deposed object, run `terraform state rm` for the one to be destroyed, which deletes nothing. To "+
				"recreate the group on purpose, destroy it in one run and create it in the next. To destroy everything, "+
				"run `terraform destroy -refresh=false`.")
	}
}

// created and destroyed remove a planned creation or deletion after it was attempted, successfully or not, because it
// no longer conflicts with later plans. With create_before_destroy, the engine may plan the deletion of the old
// instance after it has created the new one.
func (p *plannedGroups) created(id types.String) {
	p.at(id, func(group *plannedGroup) { group.creations = max(0, group.creations-1) })
}

func (p *plannedGroups) destroyed(id types.String, instance string) {
	p.at(id, func(group *plannedGroup) { delete(group.destroyed, instance) })
}
