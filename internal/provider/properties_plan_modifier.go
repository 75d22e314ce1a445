package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// keepEqualProperties plans the text in the state if the configured text is the same JSON object. The framework does
// not apply the semantic equality of a type to plans. Without this modifier, sorting the keys of a file would plan an
// update.
type keepEqualProperties struct{}

var _ planmodifier.String = keepEqualProperties{}

func (keepEqualProperties) Description(context.Context) string {
	return "Text that is the same JSON object, written differently, is no change."
}

func (m keepEqualProperties) MarkdownDescription(ctx context.Context) string {
	return m.Description(ctx)
}

func (keepEqualProperties) PlanModifyString(
	_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if (propertiesValue{req.PlanValue}).sameJSON(propertiesValue{req.StateValue}) {
		resp.PlanValue = req.StateValue
	}
}
