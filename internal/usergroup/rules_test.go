package usergroup_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// check compares what the provider has done and reported with what the service has carried out. It returns false if no
// response can show what really happened.
func (h *history) check() bool {
	showsNothing := h.reading.hidesNames || h.before.empty || h.before.alike
	if (h.cached || h.operation.creates && h.byBody != nil) && h.begun.ID == "" && showsNothing {
		// An old response reports the group as new, nothing that is known contradicts it, and the group shows no name or
		// properties, or those that are wanted. No response can distinguish it from a placeholder, or from the group that
		// was to be created. In practice, the check of the service would get old responses from the same cache. Here, only
		// some responses are old.
		return false
	}
	h.checkNothingElse()
	asSent := h.operation.adopts && h.before.absent
	if h.oldUpdates > 1 || h.oldUpdates > 0 && (showsNothing || h.acted() || asSent) {
		// An old response to an update contradicts nothing if it shows nothing, as that about another actor's group may, or
		// if it shows what is sent, as that to a repeated creation does. If the repeated update gets an old response as well,
		// the service seems to merge.
		return false
	}
	if h.err == nil {
		h.checkSuccess()
	}
	h.checkHanded()
	h.checkCured()
	h.checkProblems()
	h.checkLeftBehind()
	return true
}

// checkCured checks that the provider recovers from a single mishap if that is possible. Without a mishap, the
// provider must not blame a cache or report a placeholder that is left behind, and must recognize an empty group if
// it knows that the service shows names.
func (h *history) checkCured() {
	for _, p := range problemsOf(nil, h.problems) {
		blames := found(
			p, usergroup.AnsweredFromCache, usergroup.AnswersDisagree, usergroup.MayBeLeftBehind, usergroup.LeftBehind,
		)
		doubts := p.LookupUncertain && p.Finding != usergroup.AnsweredForAnother
		seesEmpty := h.before.empty && h.environment != "" // The check of the service has shown that it shows names.
		left := p.Placeholder == usergroup.PlaceholderLeft
		if len(h.befell) == 0 && (blames || doubts || left || p.Finding == usergroup.Exists && p.Empty != seesEmpty) {
			h.breaks("nothing went wrong, but the provider reports: %s, empty %t", facts(p), p.Empty)
		}
	}
	lostAtStop := slices.Equal(h.befell, []string{"the run is stopped", "lost after the work"})
	if lostAtStop && h.rotations() > 0 && h.reading.TokenLag == 0 && !h.hasToken() {
		h.breaks("a run that was stopped did not look up the token that its last call created")
	}
	// An update of another group needs the only retry to confirm that.
	if len(h.befell) != 1 || h.reading.fragile != "" || h.before.replaced && h.operation.updates {
		return
	}
	group, there := h.Group(id)
	switch h.befell[0] {
	case "the run is stopped":
		if there && h.makers[group.TeamID] == lookup && group.TeamID != h.taken {
			h.breaks("a run that was stopped left a placeholder behind")
		}
	case "lost before the work", "lost after the work", "success alone", "half an answer",
		"an answer without token", "unreadable", "429", "500", "503":
		finding, failed := findingOf(h.err)
		answered := slices.Contains([]usergroup.Finding{
			usergroup.Exists, usergroup.MayHaveExisted, usergroup.NotFound, usergroup.MayBeLeftBehind,
		}, finding)
		if !failed || answered {
			return
		}
		if usual, fails := findingOf(h.usual()); !fails || finding != usual {
			h.breaks("the provider did not recover from a single mishap")
		}
	}
}

// findingOf returns the finding of an error, or of the problem that it refers to.
func findingOf(err error) (finding usergroup.Finding, failed bool) {
	if problem := problemOf(err); problem != nil {
		if finding = problem.Finding; finding == usergroup.RunEnded {
			finding = problem.Cause.Finding
		}
	}
	return finding, err != nil
}

func (h *history) acted() bool {
	return slices.ContainsFunc(h.befell, func(name string) bool { return strings.HasPrefix(name, "another actor") })
}

// restored reports whether the service has lost a rotation.
func (h *history) restored() bool { return h.lost > 0 || h.before.restored }

// checkNothingElse checks rule 1: the provider changes only the group with the given ID, and neither deletes nor
// rotates a group that another actor has created.
func (h *history) checkNothingElse() {
	for _, call := range h.Calls()[h.checked:] {
		worked := call.Created || call.Updated || call.Rotated || call.Deleted
		if worked && !strings.EqualFold(call.ID, id) && !isOfCheck(call.ID) {
			h.breaks("%s changed the group %q", call.Method, call.ID)
		}
		if !worked || !strings.EqualFold(call.ID, id) {
			continue
		}
		maker := h.makers[call.TeamID]
		known := maker == before || h.refreshed
		if h.begun.TeamID != nil {
			known = *h.begun.TeamID == call.TeamID
		}
		asked := (h.operation.deletes || h.operation.replaces) && known &&
			(maker == before || h.reading.hidesTeams && h.refreshed)
		switch {
		case h.environment == "Testing" && maker != lookup && (maker != another || !call.Created):
			h.breaks("%s was carried out in the wrong environment", call.Method)
		case call.Deleted && maker != lookup && !asked && !h.reading.ForgivingDeletes:
			h.breaks("a group was deleted whose maker is %q", maker)
		case call.Rotated && !known:
			h.breaks("the token of a group was rotated whose maker is %q", maker)
		}
	}
	h.checked = len(h.Calls())
	if group, _ := h.Group("other"); group.Name != "Other" || group.Token != "token-of-other" {
		h.breaks("the group with another ID was changed")
	}
}

// checkSuccess checks rule 2: after a success, the state matches the service, and the operation was carried out once.
func (h *history) checkSuccess() {
	group, there := h.Group(id)
	// The state cannot match what the service shows late. Without team_id, the provider cannot distinguish two groups.
	outdated := h.cached || h.reading.TokenLag > 0
	if h.acted() && (h.reading.TokenLag > 0 || h.reading.hidesTeams) {
		return
	}
	switch {
	case !h.state.exists && h.operation.deletes:
		if there && h.makers[group.TeamID] == before && group.TeamID == h.first.TeamID {
			h.breaks("the group still exists after the deletion")
		}
	case !h.state.exists:
		if there && !outdated && h.makers[group.TeamID] != lookup {
			h.breaks("the state has no group, but the service has one")
		}
	case outdated && h.operation.looks:
	case h.early() && (!there || group.TeamID != *h.state.known.TeamID):
	case !there:
		h.breaks("the state has a group, but the service has none")
	case h.makers[group.TeamID] == lookup:
		h.breaks("the state has a placeholder")
	default:
		h.checkState(group)
	}
	// If the outcome of an attempt is unknown, the provider takes another actor's rotation for its own.
	elsewhere, unknown := h.before.otherToken || h.acted(), len(h.befell) > 0 || h.reading.StaleTokenStatus >= 500
	switch rotations := h.rotations(); {
	case rotations > 1+h.lost:
		h.breaks("rotated %d times", rotations)
	case rotations == 0 && h.operation.rotates && (!elsewhere || !unknown):
		h.breaks("the token was not rotated")
	}
}

// early reports whether an old response may have shown a creation the group as it was before another actor changed it.
// That is for the next refresh, as after an early lookup.
func (h *history) early() bool {
	return h.operation.creates && h.acted() && (h.cached || slices.Contains(h.befell, keptAnswer))
}

func (h *history) checkState(group emulator.Group) {
	if known := h.state.known; known.TeamID != nil && *known.TeamID != group.TeamID {
		h.breaks("the state has the team_id %d, but the service has %d", *known.TeamID, group.TeamID)
	}
	if !h.hasToken() && !h.tokenToCome && !h.early() {
		h.breaks("the token in the state is not the current one")
	}
	if name := h.state.name; group.Name != "" && name != group.Name && !h.renamed && name != "" {
		h.breaks("the state has the name %q, but the service has %q", name, group.Name)
	}
	if h.operation.writes() && !h.renamed && !isWanted(group, h.state.unseen) {
		h.breaks("the service has the name %q, properties %s and mapping %v", group.Name, group.Properties, group.Mapping)
	}
	if h.operation.rotates && group.Token == h.first.Token {
		h.breaks("the token is still the old one")
	}
}

// checkHanded checks the second part of rule 2: the provider does not discard a token that the service has returned.
func (h *history) checkHanded() {
	group, there := h.Group(id)
	if there && h.handed != "" && group.Token == h.handed && !h.hasToken() {
		h.breaks("the service returned a token that is not in the state")
	}
}

// runAgain checks rule 4: at most three runs without mishaps end in success, or in an error that only a person can
// resolve.
func (h *history) runAgain(t *testing.T) {
	if signature := h.signature(); h.settled[signature] {
		return
	} else {
		h.settled[signature] = true
	}
	switch {
	case (h.operation.imports || h.operation.replaces && h.err != nil) && h.state.exists:
		h.operation = operations["read"]
	case h.operation.replaces:
		h.operation = operations["create"]
	}
	for runs := range 3 {
		h.lasting, h.byBody = nil, nil
		h.err, h.cached, h.tokenToCome = nil, false, false
		again := runs == 0 && h.operation.imports // by the same process, as with two data sources
		if !again {
			h.service = newService(h.world, 1, h.environment)
		}
		before := len(h.problems)
		// With lagging reads, a plan right after a rotation still gets the old token. A service that was restored looks the
		// same for a minute.
		atOnce := runs == 0 && (h.reading.TokenLag > 0 && h.operation.rotates || h.restored())
		if !atOnce {
			time.Sleep(time.Minute)
		}
		rotations := h.rotations()
		h.runTerraform(t.Context())
		if h.rotations()-rotations > 1 {
			h.breaks("one run rotated %d times", h.rotations()-rotations)
		}
		if slices.Contains(h.state.known.Retired, h.state.known.Fingerprint) {
			h.breaks("the state has a retired token")
		}
		if h.err != nil && h.asksAPerson() {
			return
		}
		if h.err == nil && !atOnce {
			h.checkNothingElse()
			h.checkSettled()
			h.checkEmpty(again, h.problems[before:])
			return
		}
	}
	h.breaks("three more runs have not ended in success")
}

// signature contains everything that the outcome of further runs depends on: the state, the service, and how they
// differ.
func (h *history) signature() string {
	group, there := h.Group(id)
	known := h.state.known
	token := api.NewSecret(group.Token)
	return fmt.Sprint(h.state.exists, h.state.name, h.state.due, known.TakenOver, known.EnvironmentTag != nil,
		known.TeamID != nil && *known.TeamID == group.TeamID, known.Fingerprint == token.Fingerprint(), known.Token.IsZero(),
		slices.Contains(known.Retired, token.Fingerprint()), there, group.Name, string(group.Properties), group.Mapping,
		h.makers[group.TeamID], h.renamed, h.acted(), h.state.unseen, h.restored(),
		slices.ContainsFunc(h.problems, isFound(usergroup.MayBeLeftBehind)))
}

// runTerraform refreshes the state and, unless that fails, does what is left to do.
func (h *history) runTerraform(ctx context.Context) {
	if h.state.exists {
		h.refresh(ctx)
		if h.err != nil {
			return
		}
		h.checkNothingElse()
	}
	h.begun, h.refreshed = h.state.known, true
	h.apply(ctx)
}

// asksAPerson reports whether only a person can resolve the error.
func (h *history) asksAPerson() bool {
	return h.operation.imports && found(h.err, usergroup.NotFound) || found(
		h.err, usergroup.Exists, usergroup.MayHaveExisted, usergroup.AnsweredForAnother, usergroup.NotTakenAsSent,
		usergroup.WrongKey, usergroup.WrongEnvironment,
	)
}

// checkSettled compares the state with the service when nothing is left to do.
func (h *history) checkSettled() {
	group, there := h.Group(id)
	// A placeholder that was created late has been reported, as checkLeftBehind has verified.
	there = there && (h.state.exists || h.makers[group.TeamID] != lookup)
	if there != h.state.exists && (h.makers[group.TeamID] == before || !h.operation.deletes) {
		h.breaks("at the end, the state has a group: %t, the service has one: %t", h.state.exists, there)
	}
	if h.state.exists && there && h.reading.TokenLag == 0 && !h.hasToken() {
		h.breaks("at the end, the token in the state is not the current one")
	}
	// Without team_id, nothing shows that another actor has replaced the group.
	hidden := h.acted() && h.reading.hidesTeams
	if h.state.exists && h.operation.writes() && group.Mapping["sales"] != "acme-db" && !hidden {
		h.breaks("at the end, the group has the mapping %v", group.Mapping)
	}
}

// hasToken reports whether the token in the state is the current one.
func (h *history) hasToken() bool {
	group, _ := h.Group(id)
	return h.state.known.Fingerprint == api.NewSecret(group.Token).Fingerprint()
}

func (h *history) rotations() int { return h.Count("rotated", h.first.ID) }

// checkLeftBehind checks the second part of rule 3: an error or a warning reports every group that is left behind.
func (h *history) checkLeftBehind() {
	group, there := h.Group(id)
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
	group, there := h.Group(id)
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
		case p.Finding == usergroup.Claimed && h.before.seen && len(h.befell) == 1: // A second mishap may hide its token.
			h.breaks("%s: it takes a group for its own that this process has seen before", facts(p))
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
	group, there := h.Group(id)
	taken := there && h.state.exists && h.makers[group.TeamID] == lookup && group.Name == ""
	said := h.state.known.TakenOver || slices.ContainsFunc(problems, isFound(usergroup.FoundEmpty))
	if taken && !said && (sameProcess || !h.reading.hidesNames) {
		h.breaks("at the end, the state has a placeholder, and nothing says so")
	}
}
