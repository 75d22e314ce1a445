package usergroup_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// operate carries out the operation of the run, and records what the state has then.
func (r *oneRun) operate(ctx context.Context) {
	if r.operation == "backend" {
		request := wanted(id)
		*request.Name = oldName
		if answer, err := newClient(r, 0).GetOrCreate(ctx, request); err != nil {
			r.err = err
		} else {
			r.has = &answer.UserGroup
		}
		return
	}
	service := newService(r, maxRetries, r.environment)
	var result usergroup.Result
	for step := range strings.SplitSeq(r.operation, " and ") {
		var err error
		result, err = runOperationCalled(step).do(ctx, service, r.known)
		r.err, r.warnings = errors.Join(r.err, err), append(r.warnings, result.Warnings...)
		if result.Group != nil && !result.Group.Token.IsZero() {
			r.known.Token = result.Group.Token
		}
	}
	if r.err == nil && result.Group != nil {
		r.has = result.Group
		r.has.Token = r.known.Token
	}
}

// exception is what cannot be helped: a rule that some pairs break in some orders.
type exception struct {
	pairs  *regexp.Regexp
	mishap bool // it takes a mishap
	rule   string
	reason string
	// excused counts the violations that it excuses.
	excused atomic.Int64
}

var exceptions = []*exception{
	{
		pairs: regexp.MustCompile(`^(import|refresh|.*rotate|delete) \+ backend/absent`), rule: ruleKept,
		reason: "the backend takes the empty group between the confirming look and the deletion",
	},
	{
		pairs: regexp.MustCompile(`^delete \+ backend/(exists|nameless)`), mishap: true, rule: ruleKept,
		reason: "a lost deletion is followed by a lookup, whose empty group the backend takes",
	},
	{
		pairs: regexp.MustCompile(`^(import|refresh) \+ (import|refresh|.*rotate|delete)/absent/echo`), rule: ruleKept,
		reason: "the service shows no names, so a lookup takes the empty group of another for a live one",
	},
	{
		pairs: regexp.MustCompile(`^(import|refresh) \+ (import|refresh)/absent/echo`), rule: ruleBeside,
		reason: "the service shows no names, so a lookup finds the empty group of another",
	},
	{
		pairs: regexp.MustCompile(`^(import|refresh) \+ delete/(exists|nameless)/echo`), mishap: true, rule: ruleKept,
		reason: "the service shows no names, so a lookup takes the empty group after a lost deletion for a live one",
	},
}

// The rules.
const (
	ruleEnds   = "the runs end"
	ruleKept   = "a group that a run has created, adopted or kept exists at the end, with the token in its state"
	ruleBeside = "an operation beside one that changes nothing for it ends as it does alone"
	ruleBlamed = "no cache is blamed"
	ruleLeft   = "nothing empty is left that no problem names"
	ruleOnce   = "nothing is done twice"
	ruleTruth  = "a problem says what was done"
)

// breaks records that the order breaks a rule, unless an exception says that this cannot be helped.
func (w *together) breaks(rule, format string, args ...any) {
	for _, e := range exceptions {
		if e.rule == rule && (!e.mishap || w.befell > 0) && e.pairs.MatchString(w.String()) {
			e.excused.Add(1)
			return
		}
	}
	w.record.breaks(rule+": "+format, args...)
}

// check compares what the runs report with what the service has.
func (w *together) check(alone [2]error) {
	for _, run := range w.runs {
		w.tell("%s: %s ends: it has a group: %t, %v", run.name, run.operation, run.has != nil, run.err)
		for _, problem := range problemsOf(run.err, run.warnings) {
			w.tell("  %s", facts(problem))
		}
	}
	if w.over {
		w.breaks(ruleEnds, "they do not end")
		return
	}
	for i, run := range w.runs {
		other := w.runs[1-i]
		run.checkKept(other)
		run.checkTruth()
		if w.befell == 0 {
			run.checkBeside(other, alone[i])
		}
	}
	w.checkLeft()
}

// checkKept checks that the group in the state exists. The other run may only do what it was told to do to the group
// that was there at the start.
func (r *oneRun) checkKept(other *oneRun) {
	if r.has == nil {
		return
	}
	group, there := r.Group(id)
	first := r.before != "absent" && r.has.TeamID != nil && *r.has.TeamID == *r.known.TeamID
	deletes := first && other.operation == "delete"
	rotates := first && strings.Contains(other.operation, "rotate")
	switch {
	case !there && !deletes:
		r.breaks(ruleKept, "%s has the group in its state, but it is gone", r.name)
	case there && r.has.Token != api.NewSecret(group.Token) && !deletes && !rotates:
		r.breaks(ruleKept, "%s has another token in its state", r.name)
	}
}

// checkBeside checks that an operation ends as it does alone if the other run changes nothing for it: if that is a
// lookup, or if the group exists and the other run does not delete it.
func (r *oneRun) checkBeside(other *oneRun, alone error) {
	onlyLooks := other.operation == "import" || other.operation == "refresh"
	if !onlyLooks && (r.before == "absent" || other.operation == "delete") {
		return
	}
	missing := errors.Is(r.err, usergroup.ErrNotFound)
	if (r.err == nil) != (alone == nil) || missing != errors.Is(alone, usergroup.ErrNotFound) {
		r.breaks(ruleBeside, "%s ended in %v, and alone in %v", r.name, r.err, alone)
	}
}

// checkTruth checks that the problems of the run are right about what was done.
func (r *oneRun) checkTruth() {
	done := deedsOf(r.calls, placeholdersOf(r.Calls()))[strings.ToLower(id)]
	if done.created > 1 || done.rotated > 1 || done.deleted > 1 {
		r.breaks(ruleOnce, "%s: %+v", r.name, done)
	}
	for _, p := range problemsOf(r.err, r.warnings) {
		blames := found(p, usergroup.AnsweredFromCache, usergroup.AnswersDisagree)
		switch {
		case blames && r.befell == 0:
			r.breaks(ruleBlamed, "%s: %s", r.name, facts(p))
		case isFalse(p, done.of(p.Operation)):
			r.breaks(ruleTruth, "%s: %+v: %s", r.name, done, facts(p))
		}
	}
}

// checkLeft checks that no empty group remains that nobody knows of.
func (w *together) checkLeft() {
	var problems []*usergroup.Problem
	placeholders := placeholdersOf(w.Calls())
	for _, run := range w.runs {
		problems = append(problems, problemsOf(run.err, run.warnings)...)
	}
	for _, group := range w.Groups() {
		kept := slices.ContainsFunc(w.runs, func(r *oneRun) bool {
			return r.has != nil && r.has.Token == api.NewSecret(group.Token)
		})
		empty := isOfCheck(group.ID) || placeholders[group.TeamID] && group.Name == ""
		if empty && !kept && !reportLeft(problems, group.ID) {
			w.breaks(ruleLeft, "%s is left", group.ID)
		}
	}
}
