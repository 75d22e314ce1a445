package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const titleDestroyedAndWanted = "User group %q is to be destroyed at one address and is wanted at another"

// plannedIDs are the ids of the groups that this run is to have and to delete. One id in both is a group that moves to another
// address as if it were two, or that two addresses have: engines order nothing between the two, so that the customer would
// lose the group, or at best its token.
type plannedIDs struct {
	mu              sync.Mutex
	wanted, deleted map[string]bool
}

func newPlannedIDs() *plannedIDs {
	return &plannedIDs{wanted: map[string]bool{}, deleted: map[string]bool{}}
}

// want plans a group that is created or kept, delete one that is destroyed.
func (p *plannedIDs) want(id types.String, diags *diag.Diagnostics) {
	p.plan(id, p.wanted, p.deleted, diags)
}

func (p *plannedIDs) delete(id types.String, diags *diag.Diagnostics) {
	p.plan(id, p.deleted, p.wanted, diags)
}

func (p *plannedIDs) plan(id types.String, these, others map[string]bool, diags *diag.Diagnostics) {
	if id.IsUnknown() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	these[id.ValueString()] = true
	if others[id.ValueString()] {
		diags.AddAttributeError(path.Root("user_group_id"), fmt.Sprintf(titleDestroyedAndWanted, id.ValueString()),
			"The plan destroys this group at one address, and creates or keeps it at another. At the service both are one group, so it would be lost, or come back with another token and without what the configuration does not say. Nothing was changed. "+
				"If the resource or its key was renamed, tell the engine by a moved block from the old address to the new one, or by `terraform state mv`: nothing is then destroyed. "+
				"If both addresses are in the state, take one out by `terraform state rm`, which deletes nothing. "+
				"If the plan shows a deposed object, a replacement was cut short: take its address out the same way, and import the group again. "+
				"If the group is to be deleted and made anew, do it in two runs. To destroy everything, run `terraform destroy -refresh=false`.")
	}
}

// created and destroyed forget what was carried out, or tried: the other half is not planned beside it any more.
func (p *plannedIDs) created(id types.String)   { p.forget(id, p.wanted) }
func (p *plannedIDs) destroyed(id types.String) { p.forget(id, p.deleted) }

func (p *plannedIDs) forget(id types.String, these map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(these, id.ValueString())
}
