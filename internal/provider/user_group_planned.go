package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const titleDeletedAndCreated = "User group %q would be deleted and created in one run"

// plannedIDs are the ids of the groups that this run is to create and to delete and has not yet. One id in both is a group
// that moves to another address as if it were two: engines order nothing between the two addresses, so that the customer
// would lose the group, or at best its token.
type plannedIDs struct {
	mu               sync.Mutex
	creates, deletes map[string]bool
}

func newPlannedIDs() *plannedIDs {
	return &plannedIDs{creates: map[string]bool{}, deletes: map[string]bool{}}
}

func (p *plannedIDs) create(id types.String, diags *diag.Diagnostics) {
	p.plan(id, p.creates, p.deletes, diags)
}

func (p *plannedIDs) delete(id types.String, diags *diag.Diagnostics) {
	p.plan(id, p.deletes, p.creates, diags)
}

func (p *plannedIDs) plan(id types.String, these, others map[string]bool, diags *diag.Diagnostics) {
	if id.IsUnknown() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	these[id.ValueString()] = true
	if others[id.ValueString()] {
		diags.AddAttributeError(path.Root("user_group_id"), fmt.Sprintf(titleDeletedAndCreated, id.ValueString()),
			"The plan destroys this group under one address and creates it under another. What comes first is up to the engine, so the group would be lost, or come back with another token and without what the configuration does not say. No call was made. "+
				"If the resource or its key was renamed, tell the engine by a moved block from the old address to the new one, or by `terraform state mv`: nothing is then destroyed. "+
				"If the group is to be deleted and made anew, do it in two runs.")
	}
}

// created and deleted forget what was carried out, or tried: the other half is not planned beside it any more.
func (p *plannedIDs) created(id types.String) { p.forget(id, p.creates) }
func (p *plannedIDs) deleted(id types.String) { p.forget(id, p.deletes) }

func (p *plannedIDs) forget(id types.String, these map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(these, id.ValueString())
}
