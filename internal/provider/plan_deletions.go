package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	titleNotDeleted       = "User group %q was not deleted"
	titleTooManyDeletions = "More user groups would be deleted than max_deletions allows"
)

// deletionLimit counts the groups that a run plans or attempts to delete, and refuses those beyond max_deletions.
// Engines plan and apply in different processes, and do not plan every deletion, so each process has its own count.
type deletionLimit struct {
	most *int64 // nil for no limit

	mu  sync.Mutex
	ids map[string]bool
	// explained is set once an error has said that there are too many.
	explained bool
}

func newDeletionLimit() *deletionLimit { return &deletionLimit{ids: map[string]bool{}} }

// count counts the deletion of a group, whatever becomes of it. If the limit is exceeded, it returns the number of
// groups by now, and whether this is the first time that it is exceeded.
func (l *deletionLimit) count(id types.String) (excess int, isFirst bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids[id.ValueString()] = true
	if l.most == nil || int64(len(l.ids)) <= *l.most {
		return 0, false
	}
	isFirst = !l.explained
	l.explained = true
	return len(l.ids), isFirst
}

// forget removes a group that is not deleted after all from the count.
func (l *deletionLimit) forget(id types.String) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ids, id.ValueString())
}

// plan counts a planned deletion. It reports whether the run plans too many by now. Only the first of them adds an
// error, which fails the whole plan.
func (l *deletionLimit) plan(id types.String, diags *diag.Diagnostics) (refused bool) {
	excess, isFirst := l.count(id)
	if isFirst {
		l.explain(excess, "Nothing was changed.", diags)
	}
	return excess > 0
}

// refuse counts a deletion that is about to begin, and adds an error if it exceeds the limit. This is the last check
// before the call, for the deletions that the engine did not plan with the provider.
func (l *deletionLimit) refuse(id types.String, diags *diag.Diagnostics) (refused bool) {
	excess, isFirst := l.count(id)
	switch {
	case isFirst:
		l.explain(excess, "This group and all further ones were not deleted.", diags)
	case excess > 0:
		diags.AddError(titleFor(titleNotDeleted, id.ValueString()), fmt.Sprintf("See the error: %s.", titleTooManyDeletions))
	}
	return excess > 0
}

func (l *deletionLimit) explain(deletions int, done string, diags *diag.Diagnostics) {
	diags.AddError(titleTooManyDeletions, fmt.Sprintf("This run deletes or replaces at least %d user groups"+
		unlessForgotten+". The argument max_deletions is %d.\n\n%s\n\nIf you do not want to delete these groups, check "+
		"what has changed: the list of customers may be incomplete, and a resource or for_each key that was renamed needs a "+
		"moved block. To delete them, raise the limit for one run, for example with EMBED_MAX_DELETIONS if the provider "+
		"block does not set it.",
		deletions, *l.most, done))
}
