package provider

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/settings"
)

const (
	titleArgumentMissing = "A provider argument is missing"
	titleArgumentInvalid = "A provider argument is invalid"
)

// reportFaults adds what is wrong with arguments to the diagnostics. No error points to its argument: Terraform prints
// the line that an error points to, and a key may be in the wrong place.
func reportFaults(diags *diag.Diagnostics, faults []settings.Fault) {
	for _, fault := range faults {
		variable := settings.Variable(fault.Argument)
		if fault.IsMissing {
			diags.AddError(titleArgumentMissing, fault.Argument+" is required: set it in the provider block, or set the "+
				"environment variable "+variable+". An empty string in the provider block overrides the variable. No call was "+
				"made.")
		} else {
			diags.AddError(titleArgumentInvalid, fault.Argument+" (or the environment variable "+variable+") "+fault.Why+
				". No call was made.")
		}
	}
}

// configured returns the arguments in a provider block. An argument that is not known yet is set to an empty text.
func configured(block tftypes.Value) settings.Source {
	var arguments map[string]tftypes.Value
	_ = block.As(&arguments) // A provider block is an object.
	return func(argument string) (text string, isSet bool) {
		value := arguments[argument]
		return textOf(value), !value.IsNull()
	}
}

// textOf returns the text of a value as in an environment variable, or "" for null and for what is not fully known.
func textOf(value tftypes.Value) string {
	if !value.IsFullyKnown() {
		return ""
	}
	var text string
	var isTrue bool
	var number big.Float
	var list []tftypes.Value
	var object map[string]tftypes.Value
	switch {
	case value.As(&text) == nil:
		return text
	case value.As(&isTrue) == nil:
		return strconv.FormatBool(isTrue)
	case value.As(&number) == nil:
		return textOfNumber(&number)
	case value.As(&list) == nil:
		return strings.Join(textsOf(list), ",")
	case value.As(&object) == nil:
		return textOfObject(object)
	}
	return ""
}

func textOfNumber(number *big.Float) string {
	if whole, accuracy := number.Int64(); accuracy == big.Exact {
		return strconv.FormatInt(whole, 10)
	}
	return number.Text('g', -1)
}

func textsOf(list []tftypes.Value) (texts []string) {
	for _, value := range list {
		texts = append(texts, textOf(value))
	}
	return texts
}

func textOfObject(object map[string]tftypes.Value) string {
	texts := make(map[string]string, len(object))
	for name, value := range object {
		texts[name] = textOf(value)
	}
	text, _ := json.Marshal(texts) // cannot fail with texts
	return string(text)
}
