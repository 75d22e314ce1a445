package usergroup

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// TestMain lets more tests run at once than there are cores, since those with slow faults do nothing but wait, and
// looks whether any test has left a goroutine behind.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", "32")
	}
	status := m.Run()
	if status == 0 {
		if left := goroutinesLeft(10 * time.Second); left != "" {
			fmt.Fprintln(os.Stderr, "FAIL: goroutines are left after the tests:\n"+left)
			status = 1
		}
	}
	os.Exit(status)
}

// goroutinesLeft waits for every goroutine of a call or of a connection to end, and returns those that do not. A client
// has no end of its own: its connections end with the service.
func goroutinesLeft(patience time.Duration) string {
	deadline := time.Now().Add(patience)
	for {
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "net/http") || strings.Contains(stack, "internal/api.") ||
				strings.Contains(stack, "internal/usergroup.(*Service)") || strings.Contains(stack, "internal/emulator.") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return ""
		}
		if time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// maxRetries makes for three attempts of a call that may be repeated.
const maxRetries = 2

// setup is what a test changes of the service and of the client; the zero value changes nothing.
type setup struct {
	emulator    emulator.Options
	client      func(*api.Config)
	environment string
}

// newService starts a service of its own for the test and returns it with a Service that talks to it and waits briefly.
func newService(t testing.TB, with setup) (*emulator.Emulator, *Service) {
	t.Helper()
	e, err := emulator.Start(with.emulator)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, newClient(t, e, with)
}

// newClient returns another Service, as another process would have it, that talks to the same service.
func newClient(t testing.TB, e *emulator.Emulator, with setup) *Service {
	t.Helper()
	base, err := api.ParseBaseURL(e.URL(), false)
	if err != nil {
		t.Fatal(err)
	}
	config := api.Config{
		BaseURL:        base,
		APIKey:         api.NewSecret(emulator.DefaultKey),
		RequestTimeout: 20 * time.Second,
		MaxRetries:     maxRetries,
		RetryWaitMin:   time.Millisecond,
		RetryWaitMax:   5 * time.Millisecond,
		UserAgent:      "usergroup-test",
	}
	if with.client != nil {
		with.client(&config)
	}
	return New(api.New(config), with.environment)
}

// id is the group that most tests are about.
const id = "acme"

func object(text string) jsonobject.Object {
	parsed, err := jsonobject.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return parsed
}

const (
	oldProperties = `{"tier":"silver"}`
	newProperties = `{"tier":"gold","seats":5}`
)

// wantedGroup is a configuration that differs from seedGroup in everything.
func wantedGroup() Wanted {
	return Wanted{ID: id, Name: "Acme Inc.", Mapping: map[string]string{"sales": "acme-db"}, Properties: object(newProperties)}
}

// seedGroup puts a group there that somebody has made before.
func seedGroup(e *emulator.Emulator) emulator.Group {
	return e.Seed(emulator.Group{
		ID: id, Name: "Old Acme", Mapping: map[string]string{"sales": "old-db"}, Properties: json.RawMessage(oldProperties),
	})
}

// knownOf is what a state has of a group.
func knownOf(group emulator.Group) Known {
	tag := group.Environment
	return Known{ID: group.ID, Name: group.Name, TeamID: &group.TeamID, Token: api.NewSecret(group.Token), EnvironmentTag: &tag}
}

// trace tells what the service was asked for, in the order of arrival, and what each call did: "GET/created > DELETE".
func trace(e *emulator.Emulator) string {
	calls := slices.DeleteFunc(e.Calls(), func(call emulator.Call) bool { return call.ID == warmUpID })
	slices.SortStableFunc(calls, func(a, b emulator.Call) int { return a.At.Compare(b.At) })
	told := make([]string, 0, len(calls))
	for _, call := range calls {
		text := call.Method
		for _, did := range []struct {
			yes  bool
			what string
		}{{call.Created, "created"}, {call.Updated, "updated"}, {call.Rotated, "rotated"}, {call.Deleted, "deleted"}} {
			if did.yes {
				text += "/" + did.what
			}
		}
		told = append(told, text)
	}
	return strings.Join(told, " > ")
}

func wantTrace(t testing.TB, e *emulator.Emulator, want string) {
	t.Helper()
	if got := trace(e); got != want {
		t.Errorf("the service was asked for\n     %s\nwant %s", got, want)
	}
}

// What can be left of a group at the service.
const (
	nothing = "nothing"                             // there is no such group
	shell   = "a shell"                             // one that a lookup has made
	ours    = "as configured, made by this run"     // a new one with all that wantedGroup has
	before  = "as before"                           // the seeded one in every respect
	updated = "as configured, same token and team"  // the seeded one with all that wantedGroup has
	rotated = "as before but for a new token"       // the seeded one, and its token has changed
	another = "another group with nothing in it"    // not the seeded one: a shell, or made by somebody else
	strange = "something that no test should leave" // anything else
)

// left tells what there is of the group. seed is the zero Group when there was none.
func left(t testing.TB, e *emulator.Emulator, seed emulator.Group) string {
	t.Helper()
	wanted := wantedGroup()
	is := func(g emulator.Group, name string, mapping map[string]string, properties []byte) bool {
		return g.Name == name && maps.Equal(g.Mapping, mapping) && bytes.Equal(g.Properties, properties)
	}
	group, exists := e.Group(id)
	empty := is(group, "", nil, nil) || is(group, id, nil, nil) || seed.Name == "" && is(group, "Former Acme", nil, nil)
	asWanted := is(group, wanted.Name, wanted.Mapping, []byte(newProperties))
	asSeeded := is(group, seed.Name, seed.Mapping, seed.Properties)
	switch same := group.TeamID == seed.TeamID; {
	case !exists:
		return nothing
	case seed.ID == "" && empty:
		return shell
	case seed.ID == "" && asWanted:
		return ours
	case seed.ID != "" && !same && empty:
		return another
	case same && asSeeded && group.Token == seed.Token:
		return before
	case same && asSeeded:
		return rotated
	case same && asWanted && group.Token == seed.Token:
		return updated
	default:
		return fmt.Sprintf("%s: %+v", strange, group)
	}
}

func wantLeft(t testing.TB, e *emulator.Emulator, seed emulator.Group, want string) {
	t.Helper()
	if got := left(t, e, seed); got != want {
		t.Errorf("left at the service is %q, want %q", got, want)
	}
}

// wantGroup holds what an operation returned against the group that the service has.
func wantGroup(t testing.TB, e *emulator.Emulator, got *api.UserGroup) {
	t.Helper()
	have, exists := e.Group(id)
	switch {
	case got == nil:
		t.Error("no group was returned")
	case !exists:
		t.Error("a group was returned and the service has none")
	default:
		if got.Token.Reveal() != have.Token {
			t.Error("the returned token is not the current one")
		}
		if got.TeamID == nil || *got.TeamID != have.TeamID {
			t.Errorf("the returned team_id is %v, want %d", deref(got.TeamID), have.TeamID)
		}
		if got.ProvidedID != nil && *got.ProvidedID != id {
			t.Errorf("the returned id is %q", *got.ProvidedID)
		}
	}
}

func deref[T any](pointer *T) any {
	if pointer == nil {
		return "nil"
	}
	return *pointer
}

// nextSteps are the words by which a message tells what to do.
var nextSteps = []string{
	"Run again", "run again", "import it", "Import it", "Remove it with", "remove it with", "remove it from the state", "To remove a shell, use",
	"next plan shows", "next refresh", "once the service answers in full", "then run again", "Check ", "Change the configuration", "Bring the configuration", "Set base_url", "moved block",
	"destroying this resource deletes",
}

// checkProblem holds every error and every warning to the same standard: it names the group, it says what to do next,
// and it holds no secret.
func checkProblem(t testing.TB, about string, found error) *Problem {
	t.Helper()
	var p *Problem
	if !errors.As(found, &p) {
		t.Fatalf("the error is no Problem but %T: %v", found, found)
	}
	if !strings.Contains(p.Title, fmt.Sprintf("%q", about)) {
		t.Errorf("the title %q does not name %q", p.Title, about)
	}
	if !slices.ContainsFunc(nextSteps, func(step string) bool { return strings.Contains(p.Detail, step) }) {
		t.Errorf("no next step in %q: %q", p.Title, p.Detail)
	}
	for _, bad := range []string{"  ", "..", "%!", "<nil>", " ."} {
		text := strings.NewReplacer("\n\n  curl", "", "$(", "").Replace(p.Detail)
		if strings.Contains(text, bad) {
			t.Errorf("%q in the text of %q: %q", bad, p.Title, p.Detail)
		}
	}
	checkNoSecret(t, p.Error())
	for _, format := range []string{"%v", "%+v", "%#v"} {
		checkNoSecret(t, fmt.Sprintf(format, p))
	}
	return p
}

// checkNoSecret finds every token that an emulator ever hands out: no test gives one of its own, and these begin alike.
func checkNoSecret(t testing.TB, text string) {
	t.Helper()
	for _, secret := range []string{"ugt_", emulator.DefaultKey} {
		if strings.Contains(text, secret) {
			t.Errorf("a secret is in %q", text)
		}
	}
}

// outcome tells how an operation ended, by the title of the error or of the only warning; both are checked.
func outcome(t testing.TB, about string, result Result, err error) (title, detail string) {
	t.Helper()
	for _, warning := range result.Warnings {
		_ = checkProblem(t, about, warning)
	}
	if err != nil {
		if len(result.Warnings) > 0 {
			t.Errorf("an error came with warnings: %v", result.Warnings)
		}
		p := checkProblem(t, about, err)
		return generic(p.Title, about), p.Detail
	}
	switch len(result.Warnings) {
	case 0:
		return fine, ""
	case 1:
		return warns(generic(result.Warnings[0].Title, about)), result.Warnings[0].Detail
	default:
		t.Errorf("%d warnings: %v", len(result.Warnings), result.Warnings)
		return "", ""
	}
}

func generic(title, about string) string {
	return strings.Replace(title, fmt.Sprintf("%q", about), "%q", 1)
}

const fine = "success"

func warns(title string) string { return "warning: " + title }

// wantOutcome also wants each of the given words in the detail.
func wantOutcome(t testing.TB, result Result, err error, want string, words ...string) {
	t.Helper()
	title, detail := outcome(t, id, result, err)
	if title != want {
		t.Errorf("the outcome is %q, want %q; detail: %q", title, want, detail)
	}
	for _, word := range words {
		if !containsFold(detail, word) {
			t.Errorf("%q is not in the detail of %q: %q", word, title, detail)
		}
	}
}

func containsFold(text, words string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(words))
}
