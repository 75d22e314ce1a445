package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	titlePlannedTwice       = "User group %q is planned twice"
	titleInStateTwice       = "User group %q is in the state twice"
	titleDestroyedAndWanted = "User group %q is both managed and destroyed"
	titleNotDeleted         = "User group %q was not deleted"
	titleTooManyDeletions   = "More user groups would be deleted than max_deletions allows"
)

// plannedGroups records, by user_group_id, which groups a run plans to create, to keep and to destroy. Two addresses
// with the same ID are the same group at the service, so their plans may conflict. memory.Instance distinguishes the
// addresses, but a group that is yet to be created has none.
//
// It also counts deletions, and refuses those that exceed max_deletions. Engines plan and apply in different processes,
// and do not plan every deletion, so each process counts the groups that it plans or attempts to delete.
type plannedGroups struct {
	// maxDeletions is nil if there is no limit.
	maxDeletions *int

	mu     sync.Mutex
	groups map[string]*plannedGroup
	// deletions are the IDs of the groups that the run plans or attempts to delete. If there are too many, explained is
	// the ID whose error says so.
	deletions map[string]bool
	explained string
}

type plannedGroup struct {
	creations       int
	kept, destroyed map[string]bool // keys are values of memory.Instance
	made            string          // the memory.Instance of the last creation or adoption by this process
}

func newPlannedGroups() *plannedGroups {
	return &plannedGroups{groups: map[string]*plannedGroup{}, deletions: map[string]bool{}}
}

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
				"This run has planned to create two groups with this user_group_id, but the service has only one group for "+
					"each ID. The apply would create one of the two, and fail for the other.\n\nRemove one of the two "+
					"resource blocks or instances. If there is only one, and a test made the plan, ignore this warning.")
		}
		group.refuseConflict(id, diags)
	})
}

func (p *plannedGroups) keep(id types.String, instance string, diags *diag.Diagnostics) {
	p.at(id, func(group *plannedGroup) {
		if instance != "" && group.destroyed[instance] {
			delete(group.destroyed, instance)
			if len(group.destroyed) == 0 {
				delete(p.deletions, id.ValueString())
			}
		}
		group.kept[instance] = true
		if len(group.kept) > 1 {
			diags.AddAttributeError(path.Root("user_group_id"), titleFor(titleInStateTwice, id.ValueString()),
				"Two addresses in the state have this user_group_id, so they refer to the same group. If the two "+
					"addresses have different arguments, each apply would undo what the previous apply did.\n\nNothing was "+
					"changed.\n\nRemove one of the two addresses from the configuration and, with `terraform state rm`, from the "+
					"state. That command does not delete the group.")
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
		if p.exceeds(group, id.ValueString(), instance) && p.explains(id.ValueString()) {
			// One error fails the plan, so the other groups need none.
			diags.AddError(titleTooManyDeletions, fmt.Sprintf("This plan deletes or replaces more user groups than "+
				"max_deletions allows: at least %d, and max_deletions is %d.\n\nNothing was changed.\n\n%s",
				len(p.deletions), *p.maxDeletions, adviceOnDeletions))
		}
	})
}

// refuseConflict adds an error if the plan destroys the group at one address, and creates or keeps it at another. The
// engine does not order the two, so the customer would lose the group or, at best, only its token.
func (g *plannedGroup) refuseConflict(id types.String, diags *diag.Diagnostics) {
	if len(g.destroyed) > 0 && (g.creations > 0 || len(g.kept) > 0) {
		diags.AddAttributeError(path.Root("user_group_id"), titleFor(titleDestroyedAndWanted, id.ValueString()),
			"The plan destroys this group at one address, and creates or keeps it at another. Both addresses refer to the "+
				"same group, so the group would be deleted, or recreated with a different token.\n\nNothing was "+
				"changed.\n\nIf the resource or its for_each key was renamed, add a moved block from the old address to the "+
				"new one, or run `terraform state mv`. If both addresses are in the state, run `terraform state rm` for the "+
				"address that the plan destroys. That command deletes no group. If the plan shows a deposed object, run "+
				"`terraform state rm` for its address, and import the group again. To recreate the group on purpose, destroy "+
				"it in one run and create it in the next. To destroy everything, run `terraform destroy -refresh=false`.")
	}
}

// adviceOnDeletions says what to do about too many deletions.
const adviceOnDeletions = "If you do not want to delete these groups, check what has changed: the list of " +
	"customers may be incomplete, and a resource or for_each key that was renamed needs a moved block. To delete " +
	"them, raise the limit for one run. If max_deletions is set from a variable, use -var. If the provider block does " +
	"not set max_deletions, use EMBED_MAX_DELETIONS."

// refuseDeletion adds an error if deleting the group exceeds max_deletions. This is the last check before the call, for
// the deletions that the engine did not plan with the provider. The first error explains, and later ones refer to it.
func (p *plannedGroups) refuseDeletion(id types.String, instance string, diags *diag.Diagnostics) (refused bool) {
	p.at(id, func(group *plannedGroup) {
		if refused = p.exceeds(group, id.ValueString(), instance); !refused {
			return
		}
		if !p.explains(id.ValueString()) {
			diags.AddError(titleFor(titleNotDeleted, id.ValueString()), fmt.Sprintf(
				"The group stays in the state, because max_deletions is %d. See the error %q.",
				*p.maxDeletions, titleTooManyDeletions))
			return
		}
		diags.AddError(titleTooManyDeletions, fmt.Sprintf("Deleting user group %s would be deletion number %d of this "+
			"run, and max_deletions is %d.\n\nThe group was not deleted. It stays in the state, and so do all other groups "+
			"that are still to be deleted.\n\n%s\n\nUsually, the plan itself fails. On Terraform before 1.3, with "+
			"-replace, and for tainted resources, the provider cannot make the plan fail.",
			id, len(p.deletions), *p.maxDeletions, adviceOnDeletions))
	})
	return refused
}

// exceeds counts the deletion of a group, and reports whether the deletions exceed max_deletions. A group that Delete
// keeps, because this process has created or adopted it for another instance, does not count: an error would leave a
// deposed object, which the next run destroys.
func (p *plannedGroups) exceeds(group *plannedGroup, id, instance string) bool {
	if group.made != "" && group.made != instance {
		return false
	}
	p.deletions[id] = true
	return p.maxDeletions != nil && len(p.deletions) > *p.maxDeletions
}

// explains reports whether the error about the group is the one that explains.
func (p *plannedGroups) explains(id string) bool {
	if p.explained == "" {
		p.explained = id
	}
	return p.explained == id
}

// created and destroyed remove a planned creation or deletion after it was attempted, successfully or not, because it
// no longer conflicts with later plans. With create_before_destroy, the engine may plan the deletion of the old
// instance after it has created the new one.
//
// instance is the memory.Instance of the new group, or empty if there is none.
func (p *plannedGroups) created(id types.String, instance string) {
	p.at(id, func(group *plannedGroup) {
		group.creations = max(0, group.creations-1)
		if instance != "" {
			// The engine has planned this creation twice, if it plans and applies in the same process. At another address,
			// the group can no longer be created.
			group.creations, group.made = 0, instance
		}
	})
}

func (p *plannedGroups) destroyed(id types.String, instance string) {
	p.at(id, func(group *plannedGroup) { delete(group.destroyed, instance) })
}
