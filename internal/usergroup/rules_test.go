package usergroup_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// check holds what the provider has done, and what it says, against the ledger of what the service has carried out.
func (h *history) check() {
	creates := h.operation == "create" || h.operation == "adopt"
	showsNothing := h.reading == "echo" || h.reading == "silent" || h.before == "nameless"
	if (h.cached || creates && h.byBody != nil) && h.begun.ID == "" && showsNothing {
		// An old answer says that the group was created just now, nothing is known that contradicts it, and the group shows
		// nothing of its own: no answer can tell it from a placeholder. What helps is that the check of the service meets the
		// same cache; here one answer alone is old.
		h.cannotBeTold = true
		return
	}
	h.checkNothingElse()
	if h.err == nil {
		h.checkSuccess()
	}
	h.checkHanded()
	h.checkCured()
	h.checkFacts()
	h.checkLeftBehind()
}

// checkCured is what is promised of a single mishap: what can be found out is found out, and what can be done is done.
// Without any, nothing is blamed on a cache, and nothing is left behind.
func (h *history) checkCured() {
	var blamed *usergroup.Problem
	if h.choices != nil && len(h.befell) == 0 && errors.As(h.err, &blamed) && slices.Contains([]usergroup.Finding{
		usergroup.AnsweredFromCache, usergroup.AnswersDisagree, usergroup.MayBeLeftBehind, usergroup.LeftBehind,
	}, blamed.Finding) {
		h.breaks("nothing went wrong, and the error is: %s", facts(blamed))
	}
	lostAtStop := slices.Equal(h.befell, []string{"the run is stopped", "lost after the work"})
	if h.before == "as known" && lostAtStop && h.operation == "rotate" && h.reading != "lagging reads" && h.err != nil {
		h.breaks("a run that was stopped has not looked for the token that its last call has made")
	}
	// Of a group that is gone there is nothing to change, and of another one in its place a lost lookup proves nothing.
	changes := strings.HasPrefix(h.operation, "update") || strings.HasPrefix(h.operation, "rotate")
	hopeless := h.before == "another group" || h.before == "absent" && changes
	if len(h.befell) != 1 || h.reading != "stored" || h.environment != "" || hopeless {
		return
	}
	group, there := h.Group(h.stored)
	switch h.befell[0] {
	case "the run is stopped":
		if there && h.makers[group.TeamID] == lookup {
			h.breaks("a run that was stopped has left a placeholder behind")
		}
	case "lost before the work", "lost after the work", "success alone", "half an answer",
		"an answer without token", "unreadable", "429", "500", "503":
		var p *usergroup.Problem
		answered := errors.As(h.err, &p) && slices.Contains([]usergroup.Finding{
			usergroup.Exists, usergroup.MayHaveExisted, usergroup.NotFound, usergroup.MayBeLeftBehind,
		}, p.Finding)
		if h.err != nil && !answered {
			h.breaks("one mishap was not cured")
		}
	}
}

func (h *history) acted() bool {
	return slices.ContainsFunc(h.befell, func(name string) bool { return strings.HasPrefix(name, "another actor") })
}

// checkNothingElse is rule 1: only the named id was worked on, and nothing of another actor was deleted or rotated.
func (h *history) checkNothingElse() {
	for _, call := range h.Calls()[h.checked:] {
		worked := call.Created || call.Updated || call.Rotated || call.Deleted
		if worked && !strings.EqualFold(call.ID, id) && !strings.HasPrefix(call.ID, checkPrefix) {
			h.breaks("%s worked on %q", call.Method, call.ID)
		}
		if !worked || !strings.EqualFold(call.ID, id) {
			continue
		}
		maker := h.makers[call.TeamID]
		known := maker == before || h.refreshed
		if h.begun.TeamID != nil {
			known = *h.begun.TeamID == call.TeamID
		}
		asked := strings.HasPrefix(h.operation, "delete") && known &&
			(maker == before || h.reading == "no team_id" && h.refreshed)
		switch {
		case h.environment == "Testing" && maker != lookup:
			h.breaks("%s was carried out in the wrong environment", call.Method)
		case call.Deleted && maker != lookup && !asked && h.reading != "forgiving deletes":
			h.breaks("a group was deleted that was made by: %s", maker)
		case call.Rotated && !known:
			h.breaks("the token of a group was rotated that was made by: %s", maker)
		}
	}
	h.checked = len(h.Calls())
	if group, _ := h.Group("other"); group.Name != "Other" || group.Token != "token-of-other" {
		h.breaks("the group next door was changed")
	}
}

// checkSuccess is rule 2: the state is what the service has, and what was asked for was done, once.
func (h *history) checkSuccess() {
	group, there := h.Group(h.stored)
	// What a service shows late, or cannot be told apart, the state cannot have.
	outdated := h.cached || h.reading == "lagging reads"
	if h.acted() && (h.reading == "lagging reads" || h.reading == "no team_id") {
		return
	}
	switch {
	case !h.state.exists && strings.HasPrefix(h.operation, "delete"):
		if there && h.makers[group.TeamID] == before && group.TeamID == *h.firstTeam {
			h.breaks("the group was to be deleted and is there")
		}
	case !h.state.exists:
		if there && !outdated && h.makers[group.TeamID] != lookup {
			h.breaks("the state has no group, and the service has one")
		}
	case outdated && h.operation == "read", outdated && h.operation == "import":
	case !there:
		h.breaks("the state has a group, and the service has none")
	case h.makers[group.TeamID] == lookup:
		h.breaks("the state has a placeholder")
	default:
		h.checkState(group)
	}
	switch rotations := h.rotations(); {
	case rotations > 1:
		h.breaks("rotated %d times", rotations)
	case rotations == 0 && strings.Contains(h.operation, "rotate") && !h.acted() && h.before == "as known",
		rotations == 0 && strings.Contains(h.operation, "rotate") && len(h.befell) == 0 && h.reading != "stale token 500":
		// Else, after an attempt that was lost, a rotation by somebody else cannot be told from ours.
		h.breaks("the token was not rotated")
	}
}

func (h *history) checkState(group emulator.Group) {
	if known := h.state.known; known.TeamID != nil && *known.TeamID != group.TeamID {
		h.breaks("the state has team_id %d, and the service %d", *known.TeamID, group.TeamID)
	}
	if token := api.NewSecret(group.Token); h.state.known.Fingerprint != token.Fingerprint() && !h.tokenToCome {
		h.breaks("the state does not have the token that the service has")
	}
	changed := slices.Contains([]string{"create", "adopt", "update", "update and rotate"}, h.operation)
	name := h.state.name
	if group.Name != "" && name != group.Name && (changed || h.reading != "echo") && !h.renamed && name != "" {
		h.breaks("the state has the name %q, and the service %q", name, group.Name)
	}
	asSent := group.Name == newName && string(group.Properties) == `{"tier":"gold"}` && group.Mapping["sales"] == "acme-db"
	if changed && !h.renamed && h.reading != "adds a property" && !asSent {
		h.breaks("the service has the name %q, properties %s and mapping %v", group.Name, group.Properties, group.Mapping)
	}
	if strings.Contains(h.operation, "rotate") && group.Token == h.firstToken {
		h.breaks("the token is still the old one")
	}
}

// checkHanded is the end of rule 2: no token that the service has given us is thrown away.
func (h *history) checkHanded() {
	group, there := h.Group(h.stored)
	stored := h.state.known.Fingerprint == api.NewSecret(h.handed).Fingerprint()
	if there && h.handed != "" && group.Token == h.handed && !stored {
		h.breaks("a token was handed over, and the state does not have it")
	}
}

// checkFacts is rule 3: what an error or a warning says was done, was done.
func (h *history) checkFacts() {
	var created, updated, rotated, deleted, made, removed int
	for _, call := range h.Calls() {
		if !strings.EqualFold(call.ID, id) {
			continue
		}
		placeholder := h.makers[call.TeamID] == lookup
		count := func(yes bool, n *int) {
			if yes {
				*n++
			}
		}
		count(call.Created && !placeholder, &created)
		count((call.Updated || call.Created && call.Method == http.MethodPut) && !placeholder, &updated)
		count(call.Rotated, &rotated)
		count(call.Deleted && !placeholder, &deleted)
		count(call.Created && placeholder, &made)
		count(call.Deleted && placeholder, &removed)
	}
	done := map[usergroup.Operation]int{
		usergroup.Create: created, usergroup.Adopt: updated, usergroup.Update: updated, usergroup.Rotate: rotated,
		usergroup.Delete: deleted,
	}
	for _, p := range h.problems {
		if p.Finding == usergroup.WrongKey && h.environment != "Testing" {
			h.breaks("the key is called wrong, and is not")
		}
		switch count := done[p.Operation]; {
		case p.Done == usergroup.No && count > 0 && h.reading != "forgiving deletes":
			h.breaks("%s says that nothing was done, and something was", facts(p))
		case p.Done == usergroup.Yes && count == 0:
			h.breaks("%s says that something was done, and nothing was", facts(p))
		}
		switch {
		case p.Placeholder == usergroup.PlaceholderRemoved && made == 0:
			h.breaks("%s says that a placeholder was removed, and there was none", facts(p))
		case p.Placeholder == usergroup.PlaceholderLeft && made == 0:
			h.breaks("%s says that a placeholder was made, and none was", facts(p))
		}
	}
}

// checkLeftBehind is the rest of rule 3: whatever is left behind is named.
func (h *history) checkLeftBehind() {
	named := slices.ContainsFunc(h.problems, func(p *usergroup.Problem) bool {
		return p.Placeholder == usergroup.PlaceholderLeft || p.LookupLost
	})
	if group, there := h.Group(h.stored); there && h.makers[group.TeamID] == lookup && !named {
		h.breaks("a placeholder is left behind, and nobody says so")
	}
	// A check that has passed says nothing more. The service may still carry out an attempt of it much later: the group is
	// empty, and its id says what it is.
	passed := slices.Contains(h.befell, "lost, and done at the end")
	for _, group := range h.Groups() {
		told := slices.ContainsFunc(h.problems, func(p *usergroup.Problem) bool {
			left := p.Cause != nil && (p.Cause.Placeholder == usergroup.PlaceholderLeft || p.Cause.LookupLost)
			return left && p.Cause.ID == group.ID
		})
		if strings.HasPrefix(group.ID, checkPrefix) && !passed && !told {
			h.breaks("the group of a check is left behind, and nobody says so")
		}
	}
}

// runAgain is rule 4: three runs in which nothing goes wrong end in success, or in a question that asks for a person.
func (h *history) runAgain(t *testing.T) {
	if h.cannotBeTold {
		return
	}
	if signature := h.signature(); h.settled[signature] {
		return
	} else {
		h.settled[signature] = true
	}
	if h.operation == "import" && h.state.exists {
		h.operation = "read"
	}
	for runs := range 3 {
		h.cache, h.byBody, h.down = reply{}, nil, false
		h.err, h.service, h.cached, h.tokenToCome = nil, h.newProcess(), false, false
		// What reads that lag show of a rotation, a plan that follows at once sees.
		atOnce := runs == 0 && h.reading == "lagging reads" && strings.Contains(h.operation, "rotate")
		if !atOnce {
			time.Sleep(time.Minute)
		}
		rotations := h.rotations()
		done := h.runTerraform(t.Context())
		if h.rotations()-rotations > 1 {
			h.breaks("one run rotated %d times", h.rotations()-rotations)
		}
		if slices.Contains(h.state.known.Retired, h.state.known.Fingerprint) {
			h.breaks("the state has a token that was rotated away")
		}
		if h.err != nil && h.asksAPerson() {
			return
		}
		if h.err == nil && done && !atOnce {
			h.checkNothingElse()
			h.checkSettled()
			return
		}
	}
	h.breaks("three more runs have not come to an end")
}

// signature is all that the outcome of further runs depends on: what state and service have, and how they differ.
func (h *history) signature() string {
	group, there := h.Group(h.stored)
	known := h.state.known
	token := api.NewSecret(group.Token)
	return fmt.Sprint(h.state.exists, h.state.name, h.state.trigger, known.TakenOver, known.EnvironmentTag != nil,
		known.TeamID != nil && *known.TeamID == group.TeamID, known.Fingerprint == token.Fingerprint(), known.Token.IsZero(),
		slices.Contains(known.Retired, token.Fingerprint()), there, group.Name, string(group.Properties), group.Mapping,
		h.makers[group.TeamID], h.renamed, h.acted())
}

// runTerraform refreshes, and does what is left to do.
func (h *history) runTerraform(ctx context.Context) (done bool) {
	if h.state.exists {
		h.refresh(ctx)
		if h.err != nil {
			return false
		}
		h.checkNothingElse()
	}
	h.begun, h.refreshed = h.state.known, true
	switch {
	case h.operation == "read":
		return true
	case h.operation == "import":
		h.importGroup(ctx)
		return true
	case strings.HasPrefix(h.operation, "delete"):
		if h.state.exists {
			h.delete(ctx)
		}
		return true
	case !h.state.exists:
		h.create(ctx)
		return true
	default:
		h.change(ctx, h.state.name != newName && !strings.HasPrefix(h.operation, "rotate"))
		return true
	}
}

// asksAPerson reports whether the error is one that repeating cannot end.
func (h *history) asksAPerson() bool {
	var p *usergroup.Problem
	if !errors.As(h.err, &p) {
		return false
	}
	switch p.Finding {
	case usergroup.Exists, usergroup.MayHaveExisted, usergroup.AnsweredForAnother, usergroup.NotTakenAsSent,
		usergroup.WrongKey, usergroup.WrongEnvironment:
		return true
	case usergroup.NotFound:
		return h.operation == "import"
	default:
		return false
	}
}

// checkSettled holds the state against the service when all is done.
func (h *history) checkSettled() {
	group, there := h.Group(h.stored)
	// A placeholder that came late was named, which checkLeftBehind has seen to.
	there = there && (h.state.exists || h.makers[group.TeamID] != lookup)
	if there != h.state.exists && (h.makers[group.TeamID] == before || !strings.HasPrefix(h.operation, "delete")) {
		h.breaks("at the end the state has a group: %t, the service: %t", h.state.exists, there)
	}
	if h.state.exists && there && h.reading != "lagging reads" {
		if h.state.known.Fingerprint != api.NewSecret(group.Token).Fingerprint() {
			h.breaks("at the end the state does not have the token that the service has")
		}
	}
}

func (h *history) rotations() int { return h.Rotations(h.stored) }
