package provider

import (
	"strconv"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// A terminal and a CI runner obey some of what they read. Engines escape what they show of a state, but not what a
// provider says.

// printable returns a text of the service for one line of output: with escapes in place of all that is not visible.
func printable(text string) string {
	var shown strings.Builder
	for _, r := range text {
		if strconv.IsGraphic(r) {
			shown.WriteRune(r)
		} else {
			shown.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return api.Inert(shown.String())
}
