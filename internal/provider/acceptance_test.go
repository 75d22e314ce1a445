package provider

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// world is a service of the test's own, and an engine that works against it.
type world struct {
	*emulator.Emulator
	t       *testing.T
	dir     string
	stays   []string
	secrets []string
	current *step
	settled bool
	applied int
}

func newWorld(t *testing.T, options emulator.Options) *world {
	t.Helper()
	return &world{Emulator: startService(t, options), t: t, dir: t.TempDir(), secrets: []string{emulator.DefaultKey}}
}

// step is a resource.TestStep that also says what reaches the service. What is not set is not checked, except: a step
// without fails must succeed, and plan nothing more when it is done.
type step struct {
	// does is what the step shows, for messages.
	does string
	// before happens behind the engine's back, and is not counted.
	before func()
	// config has the provider block put in front, unless it has one.
	config string
	// calls are the methods in their order until the end of apply ("GET>PUT"), or of the step where nothing is applied.
	// An only method with a number is a count ("GET*3"), for groups that are worked on at once.
	calls string
	// fails are texts that the step's error has, blanks and line breaks aside.
	fails []string
	// errors is how many errors a failing step has; unset is one.
	errors int
	// plan and state are checked before and after apply.
	plan  []plancheck.PlanCheck
	state []statecheck.StateCheck
	// then checks the rest, in particular the service, when the calls are checked.
	then func() error
	// more sets what is rarer.
	more func(*resource.TestStep)
}

// none is the value of step.calls for no call at all.
const none = "none"

// run runs the steps one after the other and destroys what they leave. Nothing may then be left at the service.
func (w *world) run(steps ...step) {
	w.t.Helper()
	test := resource.TestCase{
		WorkingDir:               w.dir,
		ProtoV6ProviderFactories: factories("embed"),
		ErrorCheck:               w.checkError,
		CheckDestroy:             func(*terraform.State) error { return w.checkLeft() },
	}
	for i := range steps {
		test.Steps = append(test.Steps, w.testStep(&steps[i], i+1))
	}
	resource.ParallelTest(w.t, test)
	if !w.settled {
		w.t.Errorf("%s: nothing was checked", w.current.does)
	}
	if err := w.checkLeft(); err != nil {
		w.t.Error(err)
	}
	if waiting := w.FaultsWaiting(); waiting > 0 {
		w.t.Errorf("%d faults never struck", waiting)
	}
}

func factory() (tfprotov6.ProviderServer, error) { return NewServer("test")(), nil }

func factories(names ...string) map[string]func() (tfprotov6.ProviderServer, error) {
	all := map[string]func() (tfprotov6.ProviderServer, error){}
	for _, name := range names {
		all[name] = factory
	}
	return all
}

func (w *world) testStep(s *step, number int) resource.TestStep {
	s.does = fmt.Sprintf("step %d (%s)", number, s.does)
	built := resource.TestStep{PreConfig: func() { w.begin(s) }}
	if s.config != "" {
		built.Config = s.config
		if !strings.Contains(s.config, `provider "`) {
			built.Config = w.provider() + s.config
		}
	}
	if s.more != nil {
		s.more(&built)
	}
	settle := func() error { return w.settle(nil) }
	switch {
	case built.ImportState:
		built.ImportPlanChecks.PreApply = append(built.ImportPlanChecks.PreApply, s.plan...)
		if built.ImportStateKind == resource.ImportCommandWithID {
			more := built.ImportStateCheck
			built.ImportStateCheck = func(states []*terraform.InstanceState) error {
				if more == nil {
					return settle()
				}
				return errors.Join(settle(), more(states))
			}
		} else {
			built.ImportPlanChecks.PreApply = append(built.ImportPlanChecks.PreApply, planCheck{settle})
		}
	case built.RefreshState:
		built.Check = func(*terraform.State) error { return settle() }
		built.RefreshPlanChecks.PostRefresh = append(built.RefreshPlanChecks.PostRefresh, s.plan...)
	case built.PlanOnly:
		built.ConfigPlanChecks.PostApplyPostRefresh = slices.Concat(s.plan, []plancheck.PlanCheck{planCheck{settle}})
	default:
		built.ConfigPlanChecks.PreApply = append(built.ConfigPlanChecks.PreApply, s.plan...)
		built.ConfigStateChecks = append([]statecheck.StateCheck{stateCheck{settle}}, s.state...)
		built.PostApplyFunc = w.checkQuiet
	}
	return built
}

// provider is the provider block. Further lines override what is there.
func (w *world) provider(lines ...string) string { return providerBlock("embed", w.URL(), lines...) }

func providerBlock(name, url string, lines ...string) string {
	arguments := []string{
		fmt.Sprintf("base_url = %q", url),
		fmt.Sprintf("api_key = %q", emulator.DefaultKey),
		`max_retries = 2`,
		`retry_wait_min = "1ms"`,
		`retry_wait_max = "2ms"`,
	}
	for _, line := range lines {
		argument, _, _ := strings.Cut(line, " ")
		arguments = slices.DeleteFunc(arguments, func(a string) bool { return strings.HasPrefix(a, argument+" ") })
		arguments = append(arguments, line)
	}
	return fmt.Sprintf("provider %q {\n  %s\n}\n", name, strings.Join(arguments, "\n  "))
}

func (w *world) begin(s *step) {
	if w.current != nil && !w.settled {
		w.t.Errorf("%s: nothing was checked", w.current.does)
	}
	w.current, w.settled = s, false
	if s.before != nil {
		s.before()
	}
	w.learnSecrets()
	w.ResetCounts()
}

// settle checks what a step says of calls and service, once.
func (w *world) settle(failure error) error {
	if w.settled {
		return nil
	}
	w.settled = true
	w.applied = len(w.Calls())
	s := w.current
	var problems []error
	if failure == nil && s.fails != nil {
		problems = append(problems, errors.New("there should have been an error"))
	}
	problems = append(problems, w.checkCalls(s.calls))
	if s.then != nil {
		problems = append(problems, s.then())
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%s: %w", s.does, err)
	}
	return nil
}

func (w *world) checkCalls(want string) error {
	var methods []string
	for _, call := range w.Calls() {
		methods = append(methods, call.Method)
		if strings.Contains(call.Refused, " field") && !strings.Contains(call.Refused, "name is missing") {
			return fmt.Errorf("a malformed %s was sent: %s", call.Method, call.Refused)
		}
	}
	got := strings.Join(methods, ">")
	if method, number, isCount := strings.Cut(want, "*"); isCount {
		if count := fmt.Sprint(w.Count(method)); count != number || w.Count(method) != len(methods) {
			return fmt.Errorf("the service was called %q, want %s times %s", got, number, method)
		}
		return nil
	}
	if got == "" {
		got = none
	}
	if want != "" && got != want {
		return fmt.Errorf("the service was called %q, want %q", got, want)
	}
	return nil
}

// checkQuiet: whatever comes after the apply of a step may look, and finds everything there.
func (w *world) checkQuiet() {
	for _, call := range w.Calls()[w.applied:] {
		if call.Method != http.MethodGet || call.Created {
			w.t.Errorf("%s: after apply, %s was called", w.current.does, call.Method)
		}
	}
}

var decoration = regexp.MustCompile(`[\s╷│╵]+`)

// quotedSource is a line of the configuration that the engine quotes: what stands in it in clear, it shows.
var quotedSource = regexp.MustCompile(`(?m)^[\s│]*\d+: .*$`)

func oneLine(text string) string { return decoration.ReplaceAllString(text, " ") }

// checkError is called with the error of a step, and says what is wrong with it: nil when it is as it should be.
func (w *world) checkError(err error) error {
	s := w.current
	if s.fails == nil || w.settled {
		return err
	}
	said := quotedSource.ReplaceAllString(err.Error(), "")
	text := oneLine(said)
	if count := strings.Count(text, "Error: "); count != max(s.errors, 1) {
		return fmt.Errorf("%s: there are %d errors, want %d: %w", s.does, count, max(s.errors, 1), err)
	}
	for _, want := range s.fails {
		if !strings.Contains(text, want) {
			return fmt.Errorf("%s: the error does not say %q: %w", s.does, want, err)
		}
	}
	w.learnSecrets()
	for _, secret := range w.secrets {
		if strings.Contains(said, secret) {
			return fmt.Errorf("%s: the error tells a secret: %w", s.does, err)
		}
	}
	return w.settle(err)
}

// learnSecrets keeps the tokens of the groups that there are.
func (w *world) learnSecrets() {
	for _, group := range w.Groups() {
		if !slices.Contains(w.secrets, group.Token) {
			w.secrets = append(w.secrets, group.Token)
		}
	}
}

// keeps names groups that the configuration does not manage in the end.
func (w *world) keeps(ids ...string) { w.stays = append(w.stays, ids...) }

func (w *world) checkLeft() error {
	var left []string
	for _, group := range w.Groups() {
		left = append(left, group.ID)
	}
	slices.Sort(w.stays)
	if !slices.Equal(left, w.stays) {
		return fmt.Errorf("the service is left with the groups %q, want %q", left, w.stays)
	}
	return nil
}

// state is the state file as it stands, but for the blanks behind colons that not every engine writes.
func (w *world) state() string {
	found, _ := filepath.Glob(filepath.Join(w.dir, "work*", "terraform.tfstate"))
	var text strings.Builder
	for _, file := range found {
		content, err := os.ReadFile(file)
		if err != nil {
			w.t.Error(err)
		}
		text.Write(content)
	}
	return strings.ReplaceAll(text.String(), `": `, `":`)
}

// group is a group that has to be there.
func (w *world) group(id string) emulator.Group {
	group, exists := w.Group(id)
	if !exists {
		w.t.Errorf("%s: there is no group %q", w.current.does, id)
	}
	return group
}

// body is that of the last call with a method.
func (w *world) body(method string) string {
	calls := w.Calls()
	for _, call := range slices.Backward(calls) {
		if call.Method == method {
			return string(call.Body)
		}
	}
	w.t.Errorf("%s: there was no %s", w.current.does, method)
	return ""
}

// meanwhile has something done once, just before the next call with a method is worked on.
func (w *world) meanwhile(method string, something func()) {
	var once sync.Once
	w.BeforeCall(func(call emulator.Call) {
		if call.Method == method {
			once.Do(something)
		}
	})
}
