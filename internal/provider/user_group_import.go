package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const titleImportIDInvalid = "Invalid import id"

// importedKey marks, in private state, a group that was imported and not read yet.
const importedKey = "imported"

func (r *userGroupResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"user_group_id": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Your own identifier of the user group.",
			},
		},
	}
}

// ImportState makes no call: the Read that follows looks the group up, and says so when there is none.
func (r *userGroupResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := req.ID
	if id == "" {
		var identified types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("user_group_id"), &identified)...)
		id = identified.ValueString()
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if err := checkUserGroupID(id); err != nil {
		resp.Diagnostics.AddError(titleImportIDInvalid,
			"The import id is the user_group_id alone, and it "+err.Error()+". For example: terraform import embed_user_group.acme 'acme'. No call was made.")
		return
	}
	if r.service == nil {
		notConfigured(&resp.Diagnostics, "importing a user group")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}
