package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// describeUserGroupID describes the argument in every schema that has it.
const describeUserGroupID = "Your own identifier for the group, unique within the environment of the API key. " +
	"It must have at least one character, no invisible characters, and no spaces at the beginning or end."

const titleUserGroupIDInvalid = "Invalid user_group_id"

// checkUserGroupID returns an error for an ID that is most likely a mistake. A lookup creates a group for any ID, so
// an ID with a trailing space or an invisible character would create another customer.
func checkUserGroupID(id string) error {
	if id == "" {
		return errors.New("must not be empty")
	}
	for _, r := range id {
		// The only white space that IsPrint accepts is the ASCII space.
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return fmt.Errorf("must not contain the invisible character %U", r)
		}
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
