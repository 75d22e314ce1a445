package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// keepEqualProperties plans the text that the state has where the configured one is the same JSON object. Semantic
// equality of the type does not reach the plan: without this, sorting the keys of a file would plan an update.
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
