package usergroup_test

import (
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// checkLeftBehind checks the second part of rule 3: an error or a warning reports every group that is left behind.
func (h *history) checkLeftBehind() {
	group, there := h.Group(h.stored)
	if there && h.makers[group.TeamID] == lookup && group.TeamID != h.taken && !reportLeft(h.problems, id) {
		h.breaks("a placeholder is left behind, but not reported")
	}
	// The service may carry out a lost attempt of the check after the check has passed, and nothing reports that. It
	// does no harm, because the group is empty and its ID shows where it comes from.
	passed := slices.Contains(h.befell, "lost, and done at the end")
	for _, group := range h.Groups() {
		if isOfCheck(group.ID) && !passed && !reportLeft(problemsOf(nil, h.problems), group.ID) {
			h.breaks("the group of a check is left behind, but not reported")
		}
	}
}

// checkProblems checks the first part of rule 3: errors and warnings are right about what was done, and what the
// messages say beyond that is true. Which sentence follows from which fact is checked where the messages are written.
func (h *history) checkProblems() {
	done := deedsOf(h.Calls(), placeholdersOf(h.Calls()))[strings.ToLower(id)]
	group, there := h.Group(h.stored)
	// If nothing is known, nothing contradicts an old response that says that a lookup has created the group.
	live := there && h.makers[group.TeamID] != lookup && (!h.cached || h.begun.ID != "")
	named, shown := h.shown[group.TeamID]
	for _, p := range h.problems {
		if isFalse(p, done.of(p.Operation)) && !h.reading.ForgivingDeletes {
			h.breaks("%s: it is wrong about what was done: %+v", facts(p), done)
		}
		switch {
		case p.Finding == usergroup.WrongKey && h.environment != "Testing":
			h.breaks("%s: it says that the key is wrong, but it is right", facts(p))
		case p.Placeholder != usergroup.NoPlaceholder && done.made == 0:
			h.breaks("%s: it says that a placeholder was created, but none was", facts(p))
		case p.Removable() && live && (named || shown && p.Placeholder == usergroup.PlaceholderLeft):
			h.breaks("%s: the command that it offers deletes a live group that a response has shown", facts(p))
		case p.Removable() && p.URL == "":
			h.breaks("%s: the command that it offers has no address", facts(p))
		case p.Removable() && p.Finding != usergroup.FoundEmpty && p.Placeholder == usergroup.NoPlaceholder &&
			!p.Empty && h.begun.ID != "":
			h.breaks("%s: it offers a command for an ID that is known to have existed", facts(p))
		case p.Finding == usergroup.Exists && !p.AfterDeletion && (p.Done != usergroup.No || done.deleted > 0):
			h.breaks("%s: it says that nothing was changed, but something was, or may have been", facts(p))
		case p.AfterDeletion && !h.operation.replaces:
			h.breaks("%s: it says that the run has deleted the group", facts(p))
		case p.MayBeLive && p.LookupUncertain && p.Placeholder == usergroup.NoPlaceholder && done.removed > 0 &&
			h.operation.looks: // Other operations look more than once.
			h.breaks("%s: it says that no lookup has deleted anything, but one has", facts(p))
		case p.Finding == usergroup.AnotherRemains && there && group.TeamID == h.first.TeamID &&
			h.makers[group.TeamID] == before:
			h.breaks("%s: it says that the group is gone, but it is there", facts(p))
		case p.Finding == usergroup.AnotherRemains && p.Response.TeamID != nil && *p.Response.TeamID == h.first.TeamID:
			h.breaks("%s: it says that the group that is gone is another one", facts(p))
		case p.Finding == usergroup.Replaced && p.Known.TeamID != nil && p.Response.TeamID != nil &&
			*p.Known.TeamID == *p.Response.TeamID:
			h.breaks("%s: it says that two groups differ that are the same", facts(p))
		}
	}
}

// checkEmpty checks that a run that takes the placeholder of a lost lookup for an existing group says that it may be
// one. Where the service shows no names, only the process that has lost the lookup can know.
func (h *history) checkEmpty(sameProcess bool, problems []*usergroup.Problem) {
	group, there := h.Group(h.stored)
	taken := there && h.state.exists && h.makers[group.TeamID] == lookup && group.Name == ""
	said := h.state.known.TakenOver || slices.ContainsFunc(problems, isFound(usergroup.FoundEmpty))
	if taken && !said && (sameProcess || !h.reading.hidesNames) {
		h.breaks("at the end, the state has a placeholder, and nothing says so")
	}
}
