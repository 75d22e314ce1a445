package provider_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
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
				r.strike(func(number int, _ string) *wireFault {
					if b.hits(number, at) {
						return fault
					}
					return nil
				})
				f.add(name, r.play(b.ids...))
			}
		}
	}
}

// TestSentencesThatWereFalse plays them.
func TestSentencesThatWereFalse(t *testing.T) {
	t.Parallel()
	for name, c := range sentenceCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, emulator.Options{}, nil, c.sets)
				r.begin(actNamed(c.act), befallen[c.befell])
				r.strike(func(number int, method string) *wireFault {
					return wireFaults.named(t, cmp.Or(c.faults[number], c.methods[method], c.methods[""]))
				})
				said := ""
				for _, s := range r.play(groupIDs[:max(c.ids, 1)]...) {
					said += s.said.String()
					for _, l := range s.check() {
						t.Errorf("%q: %s", l.sentence, l.why)
					}
				}
				for _, text := range c.says {
					if !strings.Contains(said, text) {
						t.Errorf("it does not say %q", text)
					}
				}
				for _, text := range c.not {
					if strings.Contains(said, text) {
						t.Errorf("it says %q", text)
					}
				}
				if t.Failed() {
					t.Log(said)
				}
			})
		})
	}
}

// named returns the fault with a name, or nil without one.
func (all faults) named(t *testing.T, name string) *wireFault {
	t.Helper()
	at := slices.IndexFunc(all, func(fault *wireFault) bool { return fault.name == name })
	switch {
	case name == "":
		return nil
	case at < 0:
		t.Fatalf("there is no fault %q", name)
	}
	return all[at]
}

// TestEverySentenceHasARow checks that the oracle has every sentence of the provider's messages, and no other one. Who
// writes a new sentence has to say there when it is true.
func TestEverySentenceHasARow(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, name := range []string{"messages.go", "../api/advice.go", "../api/kinds.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, textsOf(file)...)
	}
	longestFirst := slices.SortedFunc(slices.Values(oracle), func(a, b sentence) int { return len(b.says) - len(a.says) })
	used := map[string]bool{}
	for _, text := range texts {
		rest := text
		for _, row := range longestFirst {
			if strings.Contains(rest, row.says) {
				used[row.says] = true
				rest = strings.ReplaceAll(rest, row.says, "")
			}
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			t.Errorf("messages.go says %q: add a row to the oracle that says when this is true", rest)
		}
	}
	for _, row := range oracle {
		if !used[row.says] {
			t.Errorf("messages.go does not say %q any more", row.says)
		}
	}
}

// TestMessagesNameSectionsThatExist checks that the guides have the sections to which messages send their readers.
func TestMessagesNameSectionsThatExist(t *testing.T) {
	t.Parallel()
	section := regexp.MustCompile(`"([^"]+)" in the guide (\w+)`)
	named := 0
	for _, row := range oracle {
		for _, match := range section.FindAllStringSubmatch(row.says, -1) {
			named++
			guide, err := os.ReadFile("../../templates/guides/" + strings.ToLower(match[2]) + ".md")
			if err != nil || !strings.Contains(string(guide), "\n## "+match[1]+"\n") {
				t.Errorf("the guide %s has no section %q: %v", match[2], match[1], err)
			}
		}
	}
	if named < 2 {
		t.Errorf("found only %d sections in the messages", named)
	}
}

// textsOf returns the texts of a file that have several words, with parts that are joined by a plus sign as one.
func textsOf(file *ast.File) (texts []string) {
	ast.Inspect(file, func(node ast.Node) bool {
		if _, isImport := node.(*ast.ImportSpec); isImport {
			return false
		}
		expression, _ := node.(ast.Expr)
		text, isText := textOf(expression)
		if strings.Contains(strings.TrimSpace(text), " ") {
			texts = append(texts, text)
		}
		return !isText
	})
	return texts
}

func textOf(expression ast.Expr) (text string, isText bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := textOf(e.X)
		right, isRight := textOf(e.Y)
		return left + right, isLeft && isRight
	}
	return "", false
}

// rig carries out histories on one kind of service.
type rig struct {
	name    string
	isWrong bool // the API key opens another environment than the expected one
	stopped bool // an engine has stopped the run
	p       *Provider
	wire    *wire
	act     act // of the history
	options emulator.Options
	tag     string           // the environment that the API key opens
	states  map[string]State // what Terraform has of the groups
	groups  []emulator.Group // what the service has of them
}

// groupIDs are the groups that an act is about, one after another.
var groupIDs = []string{"acme", "bravo", "carol"}

// newRig creates the groups with the right API key. The histories begin with the given arguments.
func newRig(t *testing.T, options emulator.Options, right, arguments Object) *rig {
	t.Helper()
	options.FirstTeamID = 1001
	r := &rig{wire: &wire{service: emulator.New(options)}, options: options, states: map[string]State{}}
	r.p = Bare(t, providerserver.NewProtocol6(provider.NewForTests("test", time.Now, r.wire)()))
	r.p.Use(r.wire.service, options)
	r.p.Configure(With(r.p.Arguments(), right)).WantNone()
	for _, id := range groupIDs {
		state, diags := r.p.ApplyToo(r.p.PlanToo(r.p.Nothing(), configured()(id)))
		if diags.HasError() {
			t.Fatalf("%s was not created: %s", id, diags)
		}
		r.states[id] = state
	}
	r.groups = all(r.wire.service, options)
	arguments = With(With(r.p.Arguments(), right), arguments)
	r.tag = cmp.Or(options.Environments[arguments["api_key"].(string)], "Customer")
	r.p.Configure(arguments).WantNone()
	return r
}

// begin begins a history of an act, with a service that has the groups as somebody else has left them.
func (r *rig) begin(act act, befell func(*emulator.Environment, string)) {
	r.act = act
	r.p.ForgetLogs()
	options := r.options
	options.FirstTeamID = 5001 // No number is used again.
	r.wire.service = emulator.New(options)
	r.p.Service = r.wire.service
	r.wire.strikes, r.wire.number, r.wire.answers, r.stopped = nil, 0, nil, false
	for _, group := range r.groups {
		r.wire.service.Seed(group)
		if befell != nil {
			befell(r.wire.service.In(group.Environment), group.ID)
		}
	}
}

// strike lets faults strike the requests of the history. which returns the one for a request, or nil.
func (r *rig) strike(which func(number int, method string) *wireFault) {
	r.wire.strikes = func(number int, method string) *wireFault {
		fault := which(number, method)
		if fault != nil && fault.stops {
			r.stopped = true
			r.p.Stop()
		}
		return fault
	}
}

// step is an act on one group, and what came of it.
type step struct {
	act          act
	id           string // empty if the act is about many
	config       Object
	state, after State
	tag          string           // the environment that the API key opens
	had, has     []emulator.Group // of the service before, and once all its work is done
	calls        []emulator.Call  // what the service did
	answers, run []answer         // what the client got in this step, and in the whole run up to its end
	said         Diags
	earlier      []string // the titles that this run has printed before
	logged       string
	stopped      bool // the run was stopped before or during this step
	isFirst      bool
	rig          *rig
	again        *Diags          // what running again says, once somebody has asked
	repeated     []emulator.Call // what the service did then
	isWrong      bool            // the API key opens another environment than the expected one
}

// play carries the act out for the groups, one after another in one run, and lets what is under way at the service end.
func (r *rig) play(ids ...string) (steps []*step) {
	r.p.T.Helper()
	r.p.Walk().WantNone()
	var earlier []string
	for i, id := range ids {
		s := r.step(id)
		s.earlier, s.isFirst = slices.Clone(earlier), i == 0
		for _, d := range s.said.List {
			earlier = append(earlier, d.Summary)
		}
		steps = append(steps, s)
	}
	r.wire.strikes = nil
	return steps
}

func (r *rig) step(id string) *step {
	r.p.T.Helper()
	s := &step{act: r.act, id: id, tag: r.tag, rig: r, state: r.states[id]}
	if r.act.isNew || r.act.noState {
		s.state = r.p.Nothing()
	}
	if r.act.many {
		s.id = ""
	}
	s.after = s.state
	s.had = all(r.wire.service, r.options)
	answered, logged := len(r.wire.answers), len(r.p.Logged())
	r.wire.service.ResetCounts()
	s.said = r.act.do(r, s)
	s.stopped, s.isWrong = r.stopped, r.isWrong
	s.answers, s.run = r.wire.answers[answered:], r.wire.answers
	s.logged = r.p.Logged()[logged:]
	if len(s.said.List) > 0 { // Only then does it matter what comes later.
		time.Sleep(time.Minute)
	}
	s.calls, s.has = r.wire.service.Calls(), all(r.wire.service, r.options)
	return s
}

// runsAgain returns what the act says if it is carried out again in another run, without a fault.
func (s *step) runsAgain() Diags {
	if s.again != nil {
		return *s.again
	}
	r := s.rig
	time.Sleep(2 * time.Minute)
	r.p.Walk().WantNone()
	next := *s
	next.state = s.after
	if !s.act.noState && !next.state.Value.IsNull() {
		refreshed, diags := r.p.ReadToo(next.state)
		if diags.HasError() {
			s.again = &diags
			return diags
		}
		next.state = refreshed
	}
	diags := Diags{}
	r.wire.service.ResetCounts()
	if s.act.name != "destroy" || !next.state.Value.IsNull() {
		diags = s.act.do(r, &next)
	}
	s.repeated = r.wire.service.Calls()
	s.again = &diags
	return diags
}

// all returns the groups of all environments.
func all(service *emulator.Emulator, options emulator.Options) (groups []emulator.Group) {
	tags := []string{"Customer"}
	if options.Environments != nil {
		tags = slices.Sorted(maps.Values(options.Environments))
	}
	for _, tag := range slices.Compact(tags) {
		groups = append(groups, service.In(tag).Groups()...)
	}
	return groups
}

// group returns one of the groups in the environment of the key.
func (s *step) group(groups []emulator.Group, id string) (emulator.Group, bool) {
	at := slices.IndexFunc(groups, func(g emulator.Group) bool { return g.ID == id && g.Environment == s.tag })
	if at < 0 {
		return emulator.Group{}, false
	}
	return groups[at], true
}

// wire carries requests to an emulator, lets faults strike them, and records what was answered. The emulator records
// what was done.
type wire struct {
	service *emulator.Emulator
	strikes func(number int, method string) *wireFault // the fault that strikes a request, or nil

	mu      sync.Mutex
	number  int
	answers []answer
}

// answer is what the client got for a request.
type answer struct {
	method string
	status int    // 0 if no response arrived
	body   string // as received
	target string // of a redirect
	fault  *wireFault
}

// isRefusal reports whether the work was certainly not done.
func (a answer) isRefusal() bool {
	return strings.Contains(a.body, `"success":0`) || a.status/100 == 4 && a.status != http.StatusRequestTimeout
}

// isDoubtful reports whether the client cannot know whether the work was done, or for which group.
func (a answer) isDoubtful() bool { return !a.fault.early && !a.fault.isClear && !a.isRefusal() }

// wireFault is what happens to a request on its way.
type wireFault struct {
	name string
	does work
	// respond returns what the client gets. worked is the response of the service, or nil if it did not work in time. A
	// nil respond means that the response arrives as it is.
	respond func(r *http.Request, worked *http.Response) (*http.Response, error)
	early   bool // no connection is made
	isClear bool // the response shows what was done
	// spares is a method that the fault does not strike: a lookup that is redirected or answered by a cache is taken not
	// to have reached the service, and a token that no response has shown cannot be told from the right one.
	spares string
	always bool // the service does so always, or never
	stops  bool // the engine stops the run as well
}

// work is when the service does what a request asks for.
type work int

const (
	never work = iota
	atOnce
	later // long after the client has given up
)

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.number++
	number := w.number
	w.mu.Unlock()
	var fault *wireFault
	if w.strikes != nil {
		fault = w.strikes(number, r.Method)
	}
	if fault != nil && fault.spares == r.Method {
		fault = nil
	}
	if fault == nil {
		fault = &wireFault{does: atOnce, isClear: true}
	}
	got := answer{method: r.Method, fault: fault}
	response, err := w.carry(fault, r, body)
	if err == nil && response != nil {
		text, _ := io.ReadAll(response.Body)
		response.Body, response.Request = io.NopCloser(bytes.NewReader(text)), r
		got.status, got.body, got.target = response.StatusCode, string(text), response.Header.Get("Location")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append(w.answers, got)
	return response, err
}

func (w *wire) carry(fault *wireFault, r *http.Request, body []byte) (*http.Response, error) {
	if fault.early {
		return fault.respond(r, nil)
	}
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	service := w.service // What is done later is done there, even if another history has begun.
	ask := func(request *http.Request) (*http.Response, error) {
		request.Body = io.NopCloser(bytes.NewReader(body))
		return InProcess{Handler: service}.RoundTrip(request)
	}
	var worked *http.Response
	switch fault.does {
	case atOnce:
		response, err := ask(r.Clone(r.Context()))
		if err != nil || fault.respond == nil {
			return response, err
		}
		worked = response
	case later:
		request := r.Clone(context.WithoutCancel(r.Context())) // At that time, r is the client's again.
		time.AfterFunc(15*time.Second, func() { _, _ = ask(request) })
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return fault.respond(r, worked)
}

// responds returns a function that responds with a status and a body, whatever the service has done.
func responds(status int, body string, header ...string) func(*http.Request, *http.Response) (*http.Response, error) {
	return func(*http.Request, *http.Response) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		if strings.HasPrefix(body, "<") {
			h.Set("Content-Type", "text/html")
		}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
}

func broken(err error) func(*http.Request, *http.Response) (*http.Response, error) {
	return func(*http.Request, *http.Response) (*http.Response, error) { return nil, err }
}

// silence is no response until the client gives up.
func silence(r *http.Request, _ *http.Response) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// edited returns a function that changes the JSON of the service's response.
func edited(change func(document, group Object)) func(*http.Request, *http.Response) (*http.Response, error) {
	return func(_ *http.Request, worked *http.Response) (*http.Response, error) {
		text, _ := io.ReadAll(worked.Body)
		var document Object
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&document) == nil {
			group, _ := document["user_group"].(Object)
			change(document, group)
			text, _ = json.Marshal(document)
		}
		worked.Body = io.NopCloser(bytes.NewReader(text))
		return worked, nil
	}
}

// member returns a function that sets a member of the group, if there is a group. Nil removes it.
func member(name string, value any) func(_, group Object) {
	return func(_, group Object) {
		if group == nil {
			return
		}
		group[name] = value
		if value == nil {
			delete(group, name)
		}
	}
}

// withSentToken shows the token that the request has sent, as a service does that reads from a replica.
func withSentToken(r *http.Request, worked *http.Response) (*http.Response, error) {
	var sent struct {
		Token string `json:"current_token"`
	}
	_ = json.NewDecoder(r.Body).Decode(&sent)
	return edited(func(document, group Object) {
		if sent.Token != "" {
			member("token", sent.Token)(document, group)
		}
	})(r, worked)
}

// repeating refuses the request and quotes it.
func repeating(r *http.Request, _ *http.Response) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	message := "cannot take " + strings.ReplaceAll(string(body), `"`, "")
	document, _ := json.Marshal(Object{"success": 0, "message": message})
	return responds(http.StatusBadRequest, string(document))(nil, nil)
}

// theirs makes the response one about the group of another customer.
func theirs(_, group Object) {
	for name, value := range (Object{"provided_id": "them", "team_id": 4711, "token": "ugt_theirs"}) {
		if group[name] != nil {
			group[name] = value
		}
	}
}
