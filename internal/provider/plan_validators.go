package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dashembed/terraform-provider-embed/internal/settings"
)

const titleUserGroupIDInvalid = "Invalid user_group_id"

// checkUserGroupID returns an error for an ID that is most likely a mistake. A lookup creates a group for any ID, so
// an ID with a trailing space or an invisible character would create another customer.
func checkUserGroupID(id string) error {
	if id == "" {
		return errors.New("must not be empty")
	}
	if hidden, found := settings.Invisible(id); found {
		return fmt.Errorf("must not contain the invisible character %U", hidden)
	}
	if strings.TrimSpace(id) != id {
		return errors.New("must not begin or end with a space")
	}
	return nil
}

// userGroupIDValidator applies checkUserGroupID to an attribute.
type userGroupIDValidator struct{}

func (userGroupIDValidator) Description(context.Context) string {
	return "at least one character, without invisible characters or surrounding spaces"
}

func (v userGroupIDValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (userGroupIDValidator) ValidateString(
	_ context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := checkUserGroupID(req.ConfigValue.ValueString()); err != nil {
		detail := "user_group_id " + err.Error() + ". No call was made."
		resp.Diagnostics.AddAttributeError(req.Path, titleUserGroupIDInvalid, detail)
	}
}

// validUserGroupIDs validates the lists of IDs to look up.
var validUserGroupIDs = []validator.List{
	listvalidator.NoNullValues(), listvalidator.ValueStringsAre(userGroupIDValidator{}),
}
