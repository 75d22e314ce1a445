package provider

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// base is what every object of the provider embeds. The provider's Configure passes it to their Configure methods.
type base struct {
	// service is nil if the provider is not configured, or if an argument is only known after apply.
	service   *usergroup.Service
	conflicts *planConflicts
	limit     *deletionLimit
	explained *explained
	now       func() time.Time
	run       string // distinguishes this run from all others
}

// newBase returns what the objects of one run share. It has no service yet.
func newBase(now func() time.Time) *base {
	explained := newExplained()
	return &base{
		conflicts: newPlanConflicts(explained), limit: newDeletionLimit(), explained: explained, now: now, run: rand.Text(),
	}
}

// configure takes what the provider's Configure has passed on. Before that, providerData is nil.
func (b *base) configure(providerData any) {
	if configured, ok := providerData.(*base); ok {
		*b = *configured
	}
}

// isReady reports whether an operation can start. If there is no service, it adds an error about that. what names the
// operation, for example "Creating a user group".
func (b *base) isReady(diags *diag.Diagnostics, what string) bool {
	if !diags.HasError() && b.service == nil {
		diags.AddError(titleNotConfigured, what+" requires the service, but an argument in the provider block depends on a "+
			"value that is only known after apply. No call was made.\n\nSet the provider's arguments to values that are "+
			"known during the plan, or first create what they depend on, in a separate run with -target.")
	}
	return !diags.HasError()
}

// find looks up a group that no state has. It returns nil and adds an error if it cannot. what is as for isReady.
func (b *base) find(ctx context.Context, id types.String, diags *diag.Diagnostics, what string) *api.UserGroup {
	if !b.isReady(diags, what) {
		return nil
	}
	result, err := b.service.Find(ctx, usergroup.Prior{ID: id.ValueString()})
	report(diags, err, result.Warnings...)
	return result.Group
}
