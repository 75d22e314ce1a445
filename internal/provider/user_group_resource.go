package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

type userGroupResource struct{ resourceData }

// resourceData is what Configure of the provider leaves for the resource. service is nil until the provider is configured.
type resourceData struct {
	service *usergroup.Service
	planned *plannedIDs
}

var (
	_ resource.ResourceWithConfigure   = (*userGroupResource)(nil)
	_ resource.ResourceWithIdentity    = (*userGroupResource)(nil)
	_ resource.ResourceWithImportState = (*userGroupResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*userGroupResource)(nil)
)

func newUserGroupResource() resource.Resource {
	return &userGroupResource{resourceData{planned: newPlannedIDs()}}
}

func (r *userGroupResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
}

func (r *userGroupResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData != nil {
		r.resourceData = dataFrom[resourceData](req.ProviderData, &resp.Diagnostics)
	}
}

// Create makes the group with one call. A plan that could not be made leaves no state.
func (r *userGroupResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var group userGroupModel
	group.read(ctx, req.Plan.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.service == nil {
		r.refuse(&resp.Diagnostics, "creating a user group")
		return
	}
	wanted := group.wanted(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	result, err := r.service.Create(ctx, wanted, group.AdoptExisting.ValueBool())
	r.planned.created(group.UserGroupID)
	addWarnings(&resp.Diagnostics, result.Warnings)
	if err != nil {
		addError(&resp.Diagnostics, err)
		return
	}
	group.learn(*result.Group)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), group.UserGroupID)...)
	group.write(ctx, &resp.State.Raw, &resp.Diagnostics)
}

// Read refreshes with one call, and never leaves a group behind that was not there.
func (r *userGroupResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var group userGroupModel
	group.read(ctx, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// First, because the framework demands an identity even of a group that turns out to be gone.
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), group.UserGroupID)...)
	if r.service == nil {
		return
	}
	mark, diags := req.Private.GetKey(ctx, importedKey)
	resp.Diagnostics.Append(diags...)
	imported := string(mark) == "true"
	found, err := r.service.Find(ctx, group.known())
	switch {
	case errors.Is(err, usergroup.ErrNotFound) && !imported:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		addError(&resp.Diagnostics, err)
		return
	}
	group.see(found, imported)
	group.write(ctx, &resp.State.Raw, &resp.Diagnostics)
	if imported {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	}
}

// Update sends what differs first and rotates last. The state follows step by step, so that it says what was done also
// when a later step fails.
func (r *userGroupResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state userGroupModel
	plan.read(ctx, req.Plan.Raw, &resp.Diagnostics)
	state.read(ctx, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	updates, rotates := plan.needsUpdate(&state), plan.needsRotation(&state)
	if (updates || rotates) && r.service == nil {
		r.refuse(&resp.Diagnostics, "updating a user group")
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), plan.UserGroupID)...)
	done := plan
	done.keepComputed(&state)
	known := state.known()
	if updates && !r.update(ctx, &done, &state, &known, rotates, resp) {
		return
	}
	if rotates && !r.rotate(ctx, &done, known, updates, resp) {
		return
	}
	done.write(ctx, &resp.State.Raw, &resp.Diagnostics)
}

// update reports whether to go on.
func (r *userGroupResource) update(ctx context.Context, done, state *userGroupModel, known *usergroup.Known, rotates bool, resp *resource.UpdateResponse) bool {
	wanted := done.wanted(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return false
	}
	result, err := r.service.Update(ctx, wanted, *known)
	if err != nil {
		addError(&resp.Diagnostics, err)
	}
	if result.Group == nil {
		return false
	}
	told := *result.Group
	switch {
	case rotates && !told.Token.IsZero():
		known.Token = told.Token
	case !rotates && err == nil:
		if state.tokenDiffers(told.Token) {
			addWarnings(&resp.Diagnostics, []*usergroup.Problem{usergroup.TokenChanged(wanted.ID)})
		}
		// The plan promised the token it had; another one comes with the next refresh.
		told.Token = api.Secret{}
	}
	done.learn(told)
	if err != nil {
		done.showDrift(told)
	}
	partly := *done
	if rotates {
		partly.RotateTokenWhenChanged = state.RotateTokenWhenChanged
	}
	partly.write(ctx, &resp.State.Raw, &resp.Diagnostics)
	return err == nil
}

// rotate reports whether to go on.
func (r *userGroupResource) rotate(ctx context.Context, done *userGroupModel, known usergroup.Known, updated bool, resp *resource.UpdateResponse) bool {
	result, err := r.service.RotateToken(ctx, known)
	if err != nil {
		before := ""
		if updated {
			before = "The name, mapping and properties were updated before that, and the state has them."
		}
		addError(&resp.Diagnostics, err, before)
	}
	if result.Group != nil {
		done.learn(*result.Group)
		done.write(ctx, &resp.State.Raw, &resp.Diagnostics)
	}
	return err == nil
}

// Delete deletes with one call; a group that is gone already is deleted.
func (r *userGroupResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var group userGroupModel
	group.read(ctx, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.service == nil {
		r.refuse(&resp.Diagnostics, "deleting a user group")
		return
	}
	// Engines before 1.3 do not ask at plan, and none does for a replacement that was asked for with -replace.
	if refuseIfProtected(&group, &resp.Diagnostics, "It was about to be deleted.") {
		return
	}
	result, err := r.service.Delete(ctx, group.known(), group.DataSourceProvidedID.ValueString())
	r.planned.destroyed(group.UserGroupID)
	addWarnings(&resp.Diagnostics, result.Warnings)
	if err != nil {
		addError(&resp.Diagnostics, err)
	}
}

func (r *userGroupResource) refuse(diags *diag.Diagnostics, what string) {
	if !diags.HasError() {
		notConfigured(diags, what)
	}
}
