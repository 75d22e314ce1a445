package provider_test

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// compiled is a row of the oracle whose sentence is found by a regular expression.
type compiled struct {
	sentence

	pattern *regexp.Regexp
}

var rows = sync.OnceValue(func() (all []compiled) {
	values := strings.NewReplacer("%q", `("(?:[^"\\]|\\.)*")`, `%\+q`, `((?:"(?:[^"\\]|\\.)*"|\[.*?\]))`, "%s", "(.+)")
	for _, s := range oracle {
		all = append(all, compiled{s, regexp.MustCompile(values.Replace(regexp.QuoteMeta(s.says)))})
	}
	refersFirst := func(s compiled) int { return -strings.Index(s.says, "earlier error") } // It contains a title.
	slices.SortStableFunc(all, func(a, b compiled) int {
		return cmp.Or(cmp.Compare(refersFirst(a), refersFirst(b)), len(b.says)-len(a.says))
	})
	return all
})

// lie is a sentence that should not have been said.
type lie struct{ sentence, why string }

// check returns the lies of a step.
func (s *step) check() (lies []lie) {
	of := *s
	for _, d := range s.said.List {
		c := claim{step: &of, about: s.id, whole: d.Summary + "\n" + d.Detail}
		if id := regexp.MustCompile(`group "([^"]*)"`).FindStringSubmatch(d.Summary); s.id == "" && id != nil {
			c.about = id[1]
		}
		for _, paragraph := range append([]string{d.Summary}, strings.Split(d.Detail, "\n\n")...) {
			for _, rest := range c.judge(paragraph, &lies) {
				if !answered.MatchString(rest) {
					lies = append(lies, lie{rest, "the oracle has no such sentence"})
				}
			}
		}
		of.earlier = append(of.earlier, d.Summary)
	}
	return append(lies, s.checkWhole()...)
}

// answered matches what a message says first: what was answered, or why nothing was.
var answered = regexp.MustCompile(`^(In the last of \d+ [A-Z]+ requests, t|T)` +
	`(he (service responded|response has) (with )?(the )?status|` +
	`he connection was cut|he certificate could not|he server |here is no)|no complete response|no connection|` +
	`run was stopped|^In the last of|^No c`)

// judge adds the lies in a text, and returns what no row says.
func (c claim) judge(text string, lies *[]lie) (rests []string) {
	rest := text
	for _, row := range rows() {
		for {
			at := row.pattern.FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}
			c.quoted = nil
			for i := 2; i < len(at); i += 2 {
				value := rest[at[i]:at[i+1]]
				if strings.Contains(row.says, "q") {
					value = strings.Trim(value, `"`)
				}
				c.quoted = append(c.quoted, value)
			}
			rest = rest[:at[0]] + "\n" + rest[at[1]:]
			met.Store(row.says, true)
			for _, condition := range row.when {
				if !condition.holds(c) {
					*lies = append(*lies, lie{row.says, "untrue: " + condition.name})
				}
			}
		}
	}
	for part := range strings.SplitSeq(rest, "\n") {
		if part = strings.TrimSpace(part); part != "" {
			rests = append(rests, part)
		}
	}
	return rests
}

var met sync.Map // the sentences that were said

var naming = regexp.MustCompile(`with the ID "([^"]*)",? (?:may remain|stays)`)

// remaining returns the IDs of groups that are at the service, although no configuration has asked for them.
func (s *step) remaining() (ids []string) {
	for _, now := range s.has {
		isOld := slices.ContainsFunc(s.had, func(before emulator.Group) bool { return before.TeamID == now.TeamID })
		isWanted := s.act.isNew && s.config != nil && now.ID == s.id && now.Name != ""
		if !isOld && !isWanted {
			ids = append(ids, now.ID)
		}
	}
	return ids
}

// checkWhole checks what all diagnostics of a step say together.
func (s *step) checkWhole() (lies []lie) {
	said := s.said.String()
	times := map[string]int{}
	for _, found := range naming.FindAllStringSubmatch(said, -1) {
		times[strings.ToLower(found[1])]++
	}
	for id, n := range times {
		if n > 1 {
			lies = append(lies, lie{"may remain", fmt.Sprintf("%q is named %d times", id, n)})
		}
	}
	for _, id := range s.remaining() {
		if times[id] == 0 {
			what := "a group"
			if !slices.Contains(groupIDs, id) {
				what = "a test group"
			}
			lies = append(lies, lie{"may remain", what + " remains, and is not named"})
		}
	}
	for _, secret := range []string{secretTier, secretSource, "ugt_", emulator.DefaultKey} {
		if strings.Contains(said, secret) || strings.Contains(s.logged, secret) {
			lies = append(lies, lie{"secret", "it shows " + secret})
		}
	}
	for _, a := range s.answers {
		if a.target != "" && strings.Contains(said, fmt.Sprintf("status %d", a.status)) && !strings.Contains(said, a.target) {
			lies = append(lies, lie{"redirect", "its target is not named"})
		}
	}
	return append(lies, s.checkSilence()...)
}

// checkSilence finds what was done and is neither in the state nor said.
func (s *step) checkSilence() (lies []lie) {
	if s.act.many || s.act.noState && s.act.name != "action" {
		return nil
	}
	c := claim{step: s, about: s.id}
	told := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s.said.String(), word) })
	}
	isRotated := wasRotated.holds(c) && !s.act.noState && !hasNewest.holds(c)
	if isRotated && !told("was rotated", "unexpected token", "was replaced") {
		lies = append(lies, lie{"silence", "a token was rotated, which no state has and no message says"})
	}
	isCreated := wasCreated.holds(c) && s.act.isNew && s.config != nil && !isInState.holds(c)
	if isCreated && !told("was created", "may have existed before", "already exists") {
		lies = append(lies, lie{"silence", "a group was created, which no state has and no message says"})
	}
	if wasDeleted.holds(c) && existed.holds(c) && isInState.holds(c) && !told("was deleted", "may have been deleted") {
		lies = append(lies, lie{"silence", "a group was deleted that the state has, and no message says so"})
	}
	return lies
}

// blame is which of the calls a fault strikes.
type blame struct {
	name string
	hits func(number, at int) bool
	ids  []string
}

var blames = []blame{
	{"at", func(number, at int) bool { return number == at }, groupIDs[:1]},
	{"from", func(number, at int) bool { return number >= at }, groupIDs},
}

var (
	oneOf      = flag.Int("histories", 3000, "TestSentences plays one of so many of its histories; make test: 300")
	oneHistory = flag.String("history", "", "the one history that TestSentences plays, as it prints it")
)

// search plays histories, and collects the lies.
type search struct {
	count  int
	lies   map[lie]int
	played map[lie]string // the first history with it, and what it said
}

// plays reports whether a history is to be played.
func (f *search) plays(name string) bool {
	if *oneHistory != "" {
		return name == *oneHistory
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return hash.Sum32()%uint32(*oneOf) == 0
}

func (f *search) add(name string, steps []*step) {
	f.count++
	for _, s := range steps {
		for _, l := range s.check() {
			if f.lies[l]++; f.lies[l] == 1 {
				f.played[l] = fmt.Sprintf("-history %q: %s\n%s", name, s.id, s.said)
				for _, call := range s.calls {
					f.played[l] += "    " + call.String() + "\n"
				}
			}
		}
	}
}

func (f *search) report(t *testing.T) {
	t.Logf("%d histories", f.count)
	for l := range f.lies {
		t.Errorf("LIE %d× %q: %s\n%s", f.lies[l], l.sentence, l.why, f.played[l])
	}
}

// both are the API keys of two environments.
var both = emulator.Options{Environments: map[string]string{customerKey: "Customer", testingKey: "Testing"}}

// settings are kinds of runs: the arguments with which the groups were created, and those of the run.
var settings = map[string]struct {
	options          emulator.Options
	right, arguments Object
}{
	"":              {},
	"environment, ": {both, Object{"api_key": testingKey, "environment": "Testing"}, nil},
	"wrong key, ": {
		both, Object{"api_key": testingKey, "environment": "Testing"}, Object{"api_key": customerKey},
	},
	"with a data source, ":  {arguments: Object{"data_source_provided_id": "warehouse"}},
	"echoes, ":              {options: emulator.Options{Answers: emulator.AnswersEcho}},
	"forgiving deletions, ": {options: emulator.Options{ForgivingDeletes: true, ReuseTeamIDs: true}},
	"late, ":                {options: emulator.Options{DefaultName: "Unnamed", LateDefaults: true, StaleUpdates: true}},
	"numbers as text, ":     {options: emulator.Options{NumbersAsText: true}},
	"other tokens, ":        {options: emulator.Options{DerivedTokens: true, RenewingUpdates: true}},
}

// TestSentences holds every sentence of every message against what the service did, what the state has, and what the
// run was answered, in histories of each operation with each fault at each call. The oracle says when a sentence is
// true.
func TestSentences(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		for _, row := range oracle {
			if _, isMet := met.Load(row.says); !isMet {
				t.Logf("no history said %q", row.says)
			}
		}
	})
	for name, set := range settings {
		t.Run(cmp.Or(name, "plain"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := search{lies: map[lie]int{}, played: map[lie]string{}}
				r := newRig(t, set.options, set.right, set.arguments)
				r.name, r.isWrong = name, name == "wrong key, "
				for _, act := range acts {
					for _, what := range slices.Sorted(maps.Keys(befallen)) {
						f.play(r, act, what)
					}
				}
				f.report(t)
			})
		})
	}
}

func (f *search) play(r *rig, act act, what string) {
	r.begin(act, befallen[what])
	f.add(r.name+act.name+", "+what, r.play(groupIDs[:1]...))
	calls := r.wire.number
	for at := 1; at <= calls; at++ {
		name := fmt.Sprintf("%s%s, %s: stopped at %d", r.name, act.name, what, at)
		if f.plays(name) {
			r.begin(act, befallen[what])
			r.wire.before = func(number int) {
				if number == at {
					r.stopped = true
					r.p.Stop()
				}
			}
			f.add(name, r.play(groupIDs[:1]...))
		}
	}
	for at := 1; at <= calls; at++ {
		for _, fault := range wireFaults {
			for _, b := range blames {
				if fault.always && (at > 1 || len(b.ids) == 1) {
					continue
				}
				name := fmt.Sprintf("%s%s, %s: %s %s %d", r.name, act.name, what, fault.name, b.name, at)
				if !f.plays(name) {
					continue
				}
				r.begin(act, befallen[what])
				if fault.stops {
					r.wire.before = func(number int) {
						if b.hits(number, at) {
							r.stopped = true
							r.p.Stop()
						}
					}
				}
				r.wire.strikes = func(number int, _ string) *wireFault {
					if b.hits(number, at) {
						return fault
					}
					return nil
				}
				f.add(name, r.play(b.ids...))
			}
		}
	}
}
