package provider

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

const titleUserGroupIDInvalid = "Invalid user_group_id"

// checkUserGroupID refuses ids that are most likely accidents: the service creates whatever it is asked about, and a
// space at the end of an id would be another customer.
func checkUserGroupID(id string) error {
	switch {
	case id == "":
		return errors.New("must not be empty")
	case strings.TrimSpace(id) != id:
		return errors.New("must not begin or end with a space")
	case strings.ContainsFunc(id, unicode.IsControl):
		return errors.New("must not contain control characters such as line breaks or tabs")
	}
	return nil
}

// userGroupIDValidator is checkUserGroupID as the schemas want it.
type userGroupIDValidator struct{}

func (userGroupIDValidator) Description(context.Context) string {
	return "at least one character, without control characters or surrounding spaces"
}

func (v userGroupIDValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (userGroupIDValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := checkUserGroupID(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, titleUserGroupIDInvalid, "user_group_id "+err.Error()+". No call was made.")
	}
}
