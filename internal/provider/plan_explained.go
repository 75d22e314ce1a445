package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// explained lets a run explain only once what it refuses for many groups.
type explained struct {
	mu     sync.Mutex
	titles map[string]string // of the errors that have an explanation, by what they mean
}

func newExplained() *explained { return &explained{titles: map[string]string{}} }

// refuse adds an error about a group, at one of its attributes: what it means, what was not done, and what to do next.
// If another group's error has said what this one means, this one refers to it.
func (e *explained) refuse(
	diags *diag.Diagnostics, attribute, title string, id types.String, means, done, next string,
) {
	title = titleFor(title, id.ValueString())
	e.mu.Lock()
	defer e.mu.Unlock()
	first, isExplained := e.titles[means]
	if isExplained && first != title {
		means, next = fmt.Sprintf("See the error: %s.", first), ""
	} else {
		e.titles[means] = title
	}
	diags.AddAttributeError(path.Root(attribute), title, joined("\n\n", means, done, next))
}
