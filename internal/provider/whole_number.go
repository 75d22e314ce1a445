package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// wholeNumber is the range of an argument that is a whole number. It validates a NumberAttribute. An Int64Attribute
// would not do, because the framework reports a number that is not whole as an error in the provider.
type wholeNumber struct{ least, most int64 }

const titleNumberInvalid = "Invalid number"

// Description implements validator.Describer.
func (n wholeNumber) Description(context.Context) string {
	return fmt.Sprintf("a whole number between %d and %d", n.least, n.most)
}

// MarkdownDescription implements validator.Describer.
func (n wholeNumber) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

// ValidateNumber implements validator.Number.
func (n wholeNumber) ValidateNumber(
	ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse,
) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, ok := n.read(req.ConfigValue.ValueBigFloat()); !ok {
		detail := fmt.Sprintf("%s must be %s. No call was made.", req.Path, n.Description(ctx))
		resp.Diagnostics.AddAttributeError(req.Path, titleNumberInvalid, detail)
	}
}

// read returns the number, and whether it is whole and in the range. A nil value is not.
func (n wholeNumber) read(value *big.Float) (int64, bool) {
	if value == nil {
		return 0, false
	}
	number, accuracy := value.Int64()
	return number, accuracy == big.Exact && number >= n.least && number <= n.most
}
