package usergroup_test

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// The rules. Those of a promise have its number in DESIGN.md. The ledger checks 1 and 2 with each call.
const (
	ruleOnce    = "1: a rotation is carried out at most once"
	ruleOthers  = "2: nothing that the configuration does not name is changed, and no lookup deletes what existed"
	ruleTaken   = "2: a group that somebody else takes while a lookup has it for its placeholder is not deleted"
	ruleEmpty   = "3: no placeholder is taken for a group"
	ruleAdopted = "3: nothing is adopted unasked"
	ruleToken   = "4: a token that the service has handed out is in the state, or an error says that it is lost"
	ruleState   = "4: the state has what the service has"
	ruleLost    = "4: nothing that a run has is lost silently because of another run"
	ruleEnds    = "6: every operation ends"
	ruleTruth   = "with one fault, a problem says exactly what was and was not done"
	ruleLeft    = "with one fault, a lookup leaves nothing behind that no problem names"
	ruleCured   = "with one fault that passes, an operation ends as without"
)

// notHandled is what design.md section 2 lists under "Not handled", and what follows from it.
var notHandled = []*exception{
	{
		reason: "the product gets the group in that second: after the second look, or where lookups show no name",
		rules:  []string{ruleTaken, ruleTruth}, paths: regexp.MustCompile(`: .*another client takes| \+ update/absent`),
	},
	{
		reason: "a cache passes the preflight, because a creation makes none",
		rules:  []string{ruleAdopted, ruleState, ruleTruth}, paths: regexp.MustCompile(`^(create|adopt)/.*: a cache`),
	},
	{
		reason: "somebody else has rotated the token before a rotation whose response is lost: it counts as rotated",
		rules:  []string{ruleState, ruleTruth}, paths: regexp.MustCompile(`^rotate/(stale|replaced)/(stale 500|.* of POST)`),
	},
	{
		reason: "where numbers are used again, the group of another client looks like the known one with another token",
		rules:  []string{ruleOthers, ruleAdopted, ruleLost}, paths: regexp.MustCompile(
			`^(create|delete|rotate).*/(replaced/reused|reused .*client (replaces|takes))|` +
				` \+ .*/(absent/reused|exists/reused.*DELETE)`),
	},
	{
		reason: "two runs look up a missing ID in the same second, and one finds the placeholder of the other",
		rules:  []string{ruleEmpty}, paths: regexp.MustCompile(` \+ .*/(absent/|exists/.*: .*DELETE)`),
	},
	{
		reason: "a call of the other run's lookup is lost or late, which takes longer than an adoption or an import waits",
		rules:  []string{ruleLost}, paths: regexp.MustCompile(`^(adopt \+ .*: (lost|late)|import \+ update.*: late)`),
		byPairFault: true,
	},
}

// check compares what the operation reports with what was done.
func (h *history) check() {
	if h.took > mostTime {
		h.breaks(ruleEnds, "it took %s", h.took)
	}
	h.checkTokens()
	if h.actor.err == nil {
		h.checkSuccess()
	}
	if len(h.faults) < 2 {
		mayBlame := h.cached != nil || len(h.faults) > 0 && strings.HasPrefix(h.faults[0], "response to")
		h.checkTruth(h.actor, mayBlame)
		if len(h.faults) == 0 && namesLeft(h.actor.problems, id) {
			h.breaks(ruleTruth, "nothing went wrong, and something may remain")
		}
		h.checkLeft(h.actor.problems)
		h.checkCured()
	}
}

// checkTokens checks that no token is lost silently, and none is made up.
func (h *history) checkTokens() {
	group, there := h.Group(id)
	state := h.actor.prior.Token
	if h.actor.result.Group != nil && !h.actor.result.Group.Token.IsZero() {
		state = h.actor.result.Group.Token
	}
	said := h.actor.err != nil && problemOf(h.actor.err).Done != api.No
	switch {
	case there && h.handed == group.Token && state != api.NewSecret(h.handed) && !said:
		h.breaks(ruleToken, "the token of the rotation is not in the state, and no error says so")
	case h.actor.result.Group != nil && h.tokens[state.Reveal()] == "" && (!state.IsZero() || len(h.faults) < 2):
		h.breaks(ruleToken, "the token in the state is none of the group")
	}
}

// checkSuccess checks that what is in the state after a success exists at the service, as far as one can know.
func (h *history) checkSuccess() {
	group, there := h.Group(id)
	made := h.makers[group.TeamID]
	if h.actor.deletes {
		if there && made == before {
			h.breaks(ruleState, "the group still exists after its deletion")
		}
		return
	}
	token := h.actor.result.Group.Token
	owner := h.tokens[token.Reveal()]
	unsure := has(h.actor.problems, usergroup.MayBePlaceholder)
	switch {
	case owner == lookup && !unsure:
		h.breaks(ruleEmpty, "a placeholder is taken for a group")
	case h.actor.creates && !h.actor.writes && owner != "we" && !h.actor.mayClaim():
		h.breaks(ruleAdopted, "the creation has taken over a group of %q", owner)
	case h.actor.rotates && h.actor.rotated == 0 && !h.acted:
		h.breaks(ruleState, "nothing was rotated")
	case h.actor.writes && h.actor.updated+h.actor.created == 0:
		h.breaks(ruleState, "nothing was updated")
	case h.acted:
	case !there:
		h.breaks(ruleState, "there is no such group")
	case !h.actor.writes && !token.IsZero() && token != api.NewSecret(group.Token):
		h.breaks(ruleState, "the token in the state is not the current one")
	case (h.actor.writes || h.actor.creates) && !isWanted(group) && !h.isToldApart():
		h.breaks(ruleState, "the service has %q, %s and %v", group.Name, group.Properties, group.Mapping)
	}
}

// isToldApart reports whether a warning says that the group may differ from what was sent.
func (h *history) isToldApart() bool {
	return has(h.actor.problems, usergroup.Claimed) || has(h.actor.problems, usergroup.NotTakenAsSent)
}

// checkTruth checks that errors and warnings are right about what was done.
func (l *ledger) checkTruth(a *actor, mayBlame bool) {
	for _, p := range a.problems {
		count := a.of(p.Operation)
		switch {
		case p.Done == api.No && count > 0 || p.Done == api.Yes && count == 0:
			l.breaks(ruleTruth, "it was done %d times: %s", count, facts(p))
		case p.Finding == usergroup.CacheSuspected && !mayBlame:
			l.breaks(ruleTruth, "a cache is blamed: %s", facts(p))
		}
	}
}

// checkLeft checks that each group that lookups and the preflight leave behind is named.
func (l *ledger) checkLeft(problems []*usergroup.Problem) {
	for _, group := range l.Groups() {
		if l.makers[group.TeamID] == lookup && !namesLeft(problems, group.ID) {
			l.breaks(ruleLeft, "%s is left behind, and no problem says so", group.ID)
		}
	}
}

// checkCured checks that the operation recovers from a fault that passes.
func (h *history) checkCured() {
	if len(h.faults) == 0 || !h.transient {
		return
	}
	if h.variant == "stale 500" || namesLeft(h.actor.problems, id) || has(h.actor.problems, usergroup.Claimed) {
		return
	}
	usual := h.usual()
	if got := findingOf(h.actor.err); got != usual && !slices.Contains([]usergroup.Finding{
		usergroup.MayHaveExisted, usergroup.UnexpectedToken,
	}, got) {
		h.breaks(ruleCured, "it ends in finding %d, and without the fault in %d", got, usual)
	}
}

// usual returns the finding of the operation if nothing goes wrong.
func (s scene) usual() usergroup.Finding {
	h := s.start()
	h.operate(context.Background())
	return findingOf(h.actor.err)
}
