package usergroup_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

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
	ruleForeign = "4: a lookup of a known group does not return the token of another one"
	ruleKept    = "4: with a wrong key, the state keeps its group and its token"
	ruleToken   = "4: a token that the service has handed out is in the state, or an error says that it is lost"
	ruleState   = "4: the state has what the service has"
	ruleLost    = "4: nothing that a run has is lost silently because of another run"
	ruleEnds    = "6: every operation ends"
	ruleTruth   = "with one fault, a problem says exactly what was and was not done"
	ruleLeft    = "with one fault, a lookup leaves nothing behind that no problem names"
	ruleCured   = "with one fault that passes, an operation ends as without"
)

// takers are the operations that can take the placeholder of another run's lookup for a group.
var takers = []string{"adopt", "update"}

// notHandled is what the searches excuse. Each is how a line of "Not handled" in DESIGN.md begins, or of what the page
// "Service behavior" says that the provider cannot see or help.
var notHandled = []*exception{
	{line: "A group that somebody takes between the last look at a placeholder and its deletion", rows: []*row{
		{faults: []string{"another client takes"}, rules: []string{ruleTaken, ruleTruth}},
		{runs: 2, operations: []string{"update"}, begins: "absent", rules: []string{ruleTaken, ruleTruth}},
		{runs: 2, operations: takers, variant: "stored", faults: pairFaultNames[1:], rules: []string{ruleTaken}},
		{runs: 2, operations: takers, variant: "reused numbers", faults: pairFaultNames[1:], rules: []string{ruleTaken}},
	}},
	{
		line: "A cache that ignores `no-store`, sends no `Age` and lets the preflight pass",
		rows: []*row{{
			operations: []string{"create", "adopt", "replace"}, faults: []string{"a cache by address", "a cache by body"},
			rules: []string{ruleAdopted, ruleState, ruleTruth},
		}},
	},
	{
		line: "A rotation by somebody else, if the response to ours leaves open whether it was done",
		rows: []*row{
			{operations: []string{"rotate"}, begins: "stale", variant: "stale 500", rules: []string{ruleState, ruleTruth}},
			{operations: []string{"rotate"}, begins: "stale", variant: "slow rotations", rules: []string{ruleState, ruleTruth}},
			{operations: []string{"rotate"}, begins: "stale", method: "POST", rules: []string{ruleState}},
			{operations: []string{"rotate"}, begins: "replaced", method: "POST", rules: []string{ruleState}},
		},
	},
	{line: "A replica that still shows a deleted group", rows: []*row{
		{
			variant: "a replica", faults: []string{"another client deletes", "another client replaces"},
			rules: []string{ruleState, ruleTruth},
		},
		{
			variant: "a replica that answers updates", faults: []string{"another client deletes"},
			rules: []string{ruleState, ruleTruth},
		},
	}},
	{
		line: "Numbers that are used again, when another client has created the group anew",
		rows: []*row{
			{begins: "replaced", variant: "reused numbers", rules: []string{ruleOthers, ruleAdopted, ruleForeign}},
			{
				variant: "reused numbers", faults: []string{"another client replaces", "another client takes"},
				rules: []string{ruleOthers, ruleAdopted, ruleForeign},
			},
			{runs: 2, begins: "absent", variant: "reused numbers", rules: []string{ruleOthers, ruleAdopted, ruleLost}},
			{runs: 2, begins: "exists", variant: "reused numbers", method: "DELETE", rules: []string{ruleOthers, ruleLost}},
		},
	},
	{
		line: "A service that fills in a new group only after its response to the creation",
		rows: []*row{{begins: "absent", variant: "defaults that show later", rules: []string{ruleTruth}}},
	},
	{
		line: "Tokens that follow from the ID alone, when a group was created anew",
		rows: []*row{
			{begins: "replaced", variant: "derived tokens", rules: []string{ruleOthers, ruleForeign}},
			{
				variant: "derived tokens", faults: []string{"another client replaces", "another client takes"},
				rules: []string{ruleOthers, ruleForeign, ruleTruth},
			},
			{variant: "derived tokens", faults: []string{"late"}, method: "POST", rules: []string{ruleOthers}},
		},
	},
	{
		line: "Two runs, or a run and your product, that look up or create the same missing ID at the same time",
		rows: []*row{
			{runs: 2, begins: "absent", rules: []string{ruleEmpty}},
			{runs: 2, begins: "exists", method: "DELETE", rules: []string{ruleEmpty}},
		},
	},
	{line: "An adoption or update of a group that another run's lookup has just created", rows: []*row{
		{runs: 2, operations: takers, variant: "echo", faults: pairFaultNames[1:], rules: []string{ruleTaken}},
		{
			runs: 2, operations: []string{"adopt"}, faults: []string{"lost before the work", "lost after the work", "late"},
			rules: []string{ruleLost},
		},
		{runs: 2, operations: []string{"import", "update"}, faults: []string{"late"}, rules: []string{ruleLost}},
	}},
}

// exception is such a line, and what follows from it.
type exception struct {
	line string
	rows []*row
}

// row excuses histories that break one of the rules. A field that is zero excuses all histories.
type row struct {
	runs            int      // how many there are
	operations      []string // one of them is carried out
	begins, variant string
	faults          []string // one of them befalls a call with the method
	method          string
	rules           []string

	needed atomic.Int64
}

func (e *row) excuses(r *record, rule string) bool {
	isOf := func(operation string) bool {
		return slices.ContainsFunc(r.operations, func(named string) bool {
			named, _, _ = strings.Cut(named, ",")
			return slices.Contains(strings.Split(named, " and "), operation)
		})
	}
	befalls := func(f befallen) bool {
		isFault := e.faults == nil || slices.Contains(e.faults, f.name)
		return isFault && (e.method == "" || e.method == f.method)
	}
	for _, differs := range []bool{
		!slices.Contains(e.rules, rule),
		e.runs == 2 && len(r.operations) < 2,
		e.operations != nil && !slices.ContainsFunc(e.operations, isOf),
		e.begins != "" && e.begins != r.begins,
		e.variant != "" && e.variant != r.variant,
		(e.faults != nil || e.method != "") && !slices.ContainsFunc(r.faults, befalls),
	} {
		if differs {
			return false
		}
	}
	return true
}

// TestNotHandled compares what the searches excuse, and what their variants are for, with the pages.
func TestNotHandled(t *testing.T) {
	t.Parallel()
	var texts, sections string
	for page, heading := range map[string]string{
		"DESIGN.md":                       "Not handled",
		"docs/guides/service-behavior.md": "What the provider cannot see or help",
	} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(text), "\n## "+heading+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		texts, sections = texts+string(text), sections+section
	}
	for _, e := range notHandled {
		if !strings.Contains(sections, "\n- "+e.line) {
			t.Errorf("no page says: %s", e.line)
		}
	}
	for name, v := range variants {
		if v.why == "" || !strings.Contains(texts, v.why) {
			t.Errorf("the variant %q is for %q, of which no page says anything", name, v.why)
		}
	}
}

// check compares what the operation reports with what was done.
func (h *history) check() {
	if h.took > mostTime {
		h.breaks(ruleEnds, "it took %s", h.took)
	}
	h.checkTokens()
	h.checkUnsettled()
	h.checkIdentity()
	if h.actor.err == nil {
		h.checkSuccess()
	}
	if len(h.faults) < 2 {
		h.checkTruth(h.actor)
		if len(h.faults) == 0 && namesLeft(h.actor.problems, id) && !h.lacksRetries() {
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

// checkUnsettled checks that an operation that does not know whether it has rotated the token names the one that was
// sent: the group still has that one only if it was not rotated. So the next run can tell.
func (h *history) checkUnsettled() {
	p := problemOf(h.actor.err)
	group, there := h.Group(id)
	isUnknown := p != nil && p.Operation == usergroup.Rotate && p.Done != api.No && h.actor.result.Group == nil
	isOurs := there && h.makers[group.TeamID] == before
	if !isUnknown || !isOurs || h.acted {
		return
	}
	hasSent := api.NewSecret(group.Token).Fingerprint() == h.actor.result.Previous
	if wasRotated := h.actor.rotated > 0; hasSent == wasRotated {
		h.breaks(ruleState, "the group has the token that was sent: %t; it was rotated: %t", hasSent, wasRotated)
	}
}

// checkIdentity checks that a group of the state remains that group, and what a wrong key can do to it.
func (h *history) checkIdentity() {
	group := h.actor.result.Group
	isWrong := environments[h.environment].noted == "Testing"
	isGone := h.actor.err == nil || findingOf(h.actor.err) == usergroup.NotFound ||
		findingOf(h.actor.err) == usergroup.Replaced
	if h.known && isWrong && isGone {
		h.breaks(ruleKept, "the state loses its group")
	}
	if !h.known || h.creates || group == nil || group.Token.IsZero() {
		return
	}
	if owner := h.tokens[group.Token.Reveal()]; owner != before {
		h.breaks(ruleForeign, "the token is that of a group of %q", owner)
	}
}

// checkSuccess checks that what is in the state after a success exists at the service, as far as one can know.
func (h *history) checkSuccess() {
	group, there := h.Group(id)
	made := h.makers[group.TeamID]
	if h.actor.deletes && !h.actor.creates {
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
	case h.actor.rotates && !h.hasReplaced(h.actor.result):
		h.breaks(ruleState, "the result does not say which token the rotation has replaced")
	case h.actor.writes && h.actor.updated+h.actor.created == 0 && !h.actor.unchanged:
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

// hasReplaced reports whether a result says that a rotation has replaced a token which the group had, and has no more.
func (h *history) hasReplaced(result usergroup.Result) bool {
	for token := range h.tokens {
		if secret := api.NewSecret(token); secret.Fingerprint() == result.Previous {
			return secret != result.Group.Token
		}
	}
	return false
}

// isToldApart reports whether a warning says that the group may differ from what was sent.
func (h *history) isToldApart() bool {
	return has(h.actor.problems, usergroup.Claimed) || has(h.actor.problems, usergroup.NotTakenAsSent)
}

// checkTruth checks that errors and warnings are right about what was done.
func (l *ledger) checkTruth(a *actor) {
	for _, p := range a.problems {
		count := a.of(p.Operation)
		switch {
		case p.Done == api.No && count > 0, p.Done == api.Yes && count == 0 && !a.unchanged:
			l.breaks(ruleTruth, "it was done %d times: %s", count, facts{p})
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
	if len(h.faults) == 0 || !h.transient || h.lacksRetries() {
		return
	}
	if h.variant == "stale 500" || namesLeft(h.actor.problems, id) || has(h.actor.problems, usergroup.Claimed) {
		return
	}
	leavesTest := slices.ContainsFunc(h.actor.problems, func(p *usergroup.Problem) bool { return len(p.Left) > 0 })
	if h.variant == "false left out" && leavesTest { // The preflight was to show what a missing new_user_group means.
		return
	}
	if p := problemOf(h.actor.err); p != nil && p.Done == api.Maybe && p.Operation != usergroup.Create {
		return // What may have been done is not done again. The next run finds out.
	}
	got := findingOf(h.actor.err)
	if slices.Contains([]usergroup.Finding{none, usergroup.MayHaveExisted, usergroup.UnexpectedToken}, got) {
		return
	}
	if usual := h.usual(); got != usual {
		h.breaks(ruleCured, "it ends in %q, and without the fault in %q", got, usual)
	}
}

// usual returns the finding of the operation if nothing goes wrong.
func (s scene) usual() usergroup.Finding {
	h := s.start()
	h.operate(context.Background())
	return findingOf(h.actor.err)
}
