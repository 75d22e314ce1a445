package protocoltest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// advice is a sentence of a message that says what to do, and what a person does who takes it literally.
type advice struct {
	says string // a regular expression
	// when reports whether the condition in the sentence holds. The person knows what has happened. Nil means always.
	when func(*walk) bool
	// act is what the person does before the next run. It is one of several ways out if isWay is set.
	act   func(w *walk, command string)
	isWay bool
	// decision is why only a person can do it, so that nothing more follows.
	decision string
}

// allAdvice is the advice in the messages of TestSequences.
var allAdvice = []advice{
	{says: `^Run again in a minute\.`, act: func(w *walk, _ string) { w.pause = time.Minute }},
	{says: `^Run again\b`},
	{says: `^Check the API key, then (plan|run) again: `}, // It is the right key.
	{says: `^Fix what the service reports, then run again\.`},
	{says: `^Turn off caching for the address of the service, then run again\.`},
	{says: `^Do not delete the group by hand`},
	{says: `^If the group was deleted elsewhere, plan again: the new plan proposes to create it\.`},
	{says: `^If the group should exist, run again\.`, when: wanted, isWay: true},
	{says: `^If the group was deleted only a moment ago, run again\.`, when: isGone, isWay: true},
	{says: `^Remove it before you run again\.`, act: (*walk).execute},
	{says: `^If nobody uses it, remove it\.`, when: isUnused, act: (*walk).execute},
	{
		says: `[Ii]f there should be no group with this ID, remove the empty group`, when: isUnmanaged,
		act: (*walk).execute, isWay: true,
	},
	{says: `[Ii]mport (it|the group) with an import block`, act: (*walk).imported, isWay: true},
	{says: `\b[Ss]et adopt_existing = true`, act: (*walk).adopt, isWay: true},
	{says: `\brun .terraform state rm.`, act: (*walk).stateRemove, isWay: true},
	{says: `^Change the configuration to match what the service keeps\.`, act: (*walk).match},
	{says: `^To move a resource to another address, use a moved block\.`, when: never},
	{says: `^If the service normalizes IDs`, when: never},
	{says: `^Otherwise, check that no cache responds in place of the service, then run again\.`},
	{says: `choose another user_group_id\.`, when: never},
	{says: `^If another resource block has the same user_group_id, remove one of the two blocks\.`, when: never},
	{says: `^If the resource is tainted and uses create_before_destroy`, when: never},
	{says: `^Check the spelling of the ID`, decision: "the ID may be wrong, or the group may be gone"},
}

// advises matches the sentences that say what to do.
var advises = regexp.MustCompile(`(^|, |: |, or |, then )(?i:run|remove|import|set|check|change|choose|use|turn|fix|` +
	`add|apply|rotate|plan again|do not)\b`)

func never(*walk) bool    { return false }
func wanted(w *walk) bool { return w.config != nil }

func isGone(w *walk) bool {
	_, there := w.Service.Group("acme")
	return !there
}

// isUnused reports whether there is no group, or one that a lookup has created and that nobody has changed since.
func isUnused(w *walk) bool {
	group, there := w.Service.Group("acme")
	nameless := group.Name == "" || group.Name == group.ID
	return !there ||
		slices.Contains(w.empty, group.TeamID) && nameless && group.Mapping == nil && group.Properties == nil
}

// isUnmanaged is isUnused for an ID without a group. No command may be offered for a group that Terraform manages.
func isUnmanaged(w *walk) bool {
	if group, _ := w.Service.Group("acme"); slices.Contains(w.managed, group.TeamID) && !isUnused(w) {
		w.fail("a command is offered that removes a group that Terraform manages")
	}
	return isUnused(w)
}

func (w *walk) imported(string) { w.imports, w.replaces = true, false }

func (w *walk) adopt(string) {
	w.config, w.imports, w.replaces = With(w.config, "adopt_existing", true), false, false
}

func (w *walk) stateRemove(string) {
	w.state, w.config, w.managed, w.imports = w.Nothing(), nil, nil, false
}

// match changes the configuration to match the group, if it is still there.
func (w *walk) match(string) {
	if group, there := w.Service.Group("acme"); there {
		w.config = With(w.config, "name", group.Name, "properties", string(group.Properties))
	}
}

var curl = regexp.MustCompile(`^  curl -X (\S+) '([^']+)' -H "(\S+): ([^"]+)" -H '(\S+): ([^']+)' -d '([^']+)'$`)

// execute executes a command, which must remove nothing but a group that nobody uses.
func (w *walk) execute(command string) {
	parts := curl.FindStringSubmatch(command)
	if parts == nil {
		w.fail("this is not a command: " + command)
	}
	unused, there := isUnused(w), !isGone(w)
	request := httptest.NewRequest(parts[1], parts[2], bytes.NewReader([]byte(parts[7])))
	request.Header.Set(parts[3], strings.ReplaceAll(parts[4], "$EMBED_API_KEY", emulator.DefaultKey))
	request.Header.Set(parts[5], parts[6])
	answer := httptest.NewRecorder()
	w.Service.ServeHTTP(answer, request)
	var success struct{ Success int }
	w.Must(json.Unmarshal(answer.Body.Bytes(), &success))
	switch removed := answer.Code == http.StatusOK && success.Success == 1; {
	case !unused:
		w.fail("the command removes a live group: " + command)
	case there && !isGone(w), there && !removed:
		w.fail("the command does not remove the group: " + answer.Body.String())
	}
	w.groups = w.Service.Groups()
}

// heed does what the messages of the last run say, and continues with each way out that they name. Within so many
// runs, that must lead to success, or to a decision that only a person can take.
func (w *walk) heed(diags Diags, runs int) {
	var always, ways []func()
	decision := ""
	for _, said := range sentences(diags) {
		for _, one := range w.adviceIn(said) {
			act := func() {
				if w.tell("  heeds: %s", said.text); one.act != nil {
					one.act(w, said.command)
				}
			}
			switch decision = cmp.Or(decision, one.decision); {
			case one.when != nil && !one.when(w):
			case one.isWay:
				ways = append(ways, act)
			default:
				always = append(always, act)
			}
		}
	}
	switch {
	case decision != "" && len(ways) == 0:
		return
	case runs == 0:
		w.fail("following the messages has not led to success")
	case diags.HasError() && len(always)+len(ways) == 0:
		w.fail("the error does not say what to do")
	case len(ways) == 0:
		ways = append(ways, func() {})
	}
	from := w.reached
	for n, way := range ways {
		if n > 0 {
			w.serve(from)
		}
		w.pause = time.Second
		for _, act := range append(slices.Clip(always), way) {
			act()
		}
		if diags := w.runOn(-1, 0); diags.HasError() {
			w.heed(diags, runs-1)
		}
	}
}

// sentence is a sentence of a message, with the command that follows it, if there is one.
type sentence struct{ text, command string }

// aboutCommand follows the sentence to which a command belongs.
const aboutCommand = " This command takes the provider's API key from EMBED_API_KEY:"

func sentences(diags Diags) (all []sentence) {
	for _, d := range diags.List {
		for paragraph := range strings.SplitSeq(d.Detail, "\n\n") {
			if strings.HasPrefix(paragraph, "  ") {
				all[len(all)-1].command = paragraph
				continue
			}
			for text := range strings.SplitAfterSeq(strings.TrimSuffix(paragraph, aboutCommand), ". ") {
				all = append(all, sentence{text: strings.TrimSpace(text)})
			}
		}
	}
	return all
}

// adviceIn returns the advice in a sentence. A sentence that seems to have some must be in allAdvice.
func (w *walk) adviceIn(said sentence) []advice {
	known, isKnown := w.advice[said.text]
	if !isKnown {
		for _, one := range allAdvice {
			if regexp.MustCompile(one.says).MatchString(said.text) {
				known = append(known, one)
			}
		}
		w.advice[said.text] = known
	}
	if len(known) == 0 && (said.command != "" || advises.MatchString(said.text)) {
		w.fail("what to do is not known: " + said.text)
	}
	return known
}
