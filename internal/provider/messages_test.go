package provider

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// sayEverything are the titles of messages about which no page has to say more.
var sayEverything = []string{
	`A provider argument is invalid`,
	`A user group was adopted`,
	`A user group has an unexpected token`,
	`A user group was kept`,
	`A user group was not taken as it was sent`,
	`Cannot adopt user group "…"`,
	`Cannot create user group "…"`,
	`Cannot test the service and the API key`,
	`Cannot update user group "…"`,
	`Import of user group "…" would delete it`,
	`Invalid import ID`,
	`Invalid properties`,
	`Invalid user_group_id`,
	`More user groups would be deleted than max_deletions allows`,
	`The plan may differ from what the apply does`,
	`The provider has a bug`,
	`The provider is not configured yet`,
	`The service shows an outdated token of user group "…"`,
	`User group "…" does not exist`,
	`User group "…" is assumed to be the one just created`,
	`User group "…" is protected from deletion`,
	`User group "…" may have existed before`,
	`User group "…" was not deleted`,
}

// TestTroubleshootingHasEveryTitle checks that each title that the provider can print is in the index of messages in
// the guide or in sayEverything, and that neither has another one. Titles have to fit into one line of a terminal, even
// with an ID of 20 characters.
func TestTroubleshootingHasEveryTitle(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, index, _ := strings.Cut(string(guide), "\n## Messages\n")
	index, _, _ = strings.Cut(index, "\n## ")
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(index, -1) {
		if row[1] != "Message" { // the head of a table
			listed = append(listed, strings.Split(row[1], "<br>")...)
		}
	}
	titles := slices.Sorted(maps.Keys(allTitles(t)))
	for _, title := range titles {
		if slices.Contains(listed, title) == slices.Contains(sayEverything, title) {
			t.Errorf("either the guide or sayEverything must have %q", title)
		}
		shown := strings.ReplaceAll(title, "…", strings.Repeat("x", 20))
		if got := utf8.RuneCountInString(shown); got > 80 {
			t.Errorf("%d columns: %s", got, shown)
		}
	}
	for _, title := range append(listed, sayEverything...) {
		if !slices.Contains(titles, title) {
			t.Errorf("%q is no title", title)
		}
	}
}

// allTitles returns the title constants and the titles in the tables of messages. An ellipsis stands for the ID.
func allTitles(t *testing.T) map[string]bool {
	t.Helper()
	titles := map[string]bool{}
	definition := regexp.MustCompile(`(?m)(?:\btitle[A-Z]\w* +=|\btitle:|\bcounted:|\bfailed:) +("(?:[^"\\]|\\.)+")`)
	for _, defined := range definition.FindAllStringSubmatch(sources(t), -1) {
		title, err := strconv.Unquote(defined[1])
		if err != nil {
			t.Fatal(err)
		}
		titles[strings.ReplaceAll(title, "%q", `"…"`)] = true
	}
	if len(titles) < 30 {
		t.Fatalf("found only %d titles", len(titles))
	}
	return titles
}

// TestEveryDiagnosticHasATitle checks that the title of every diagnostic is a constant or comes from the tables of
// messages. TestTroubleshootingHasEveryTitle would miss any other title.
func TestEveryDiagnosticHasATitle(t *testing.T) {
	t.Parallel()
	add := regexp.MustCompile(`(?m)^.*(?:\.Add\w*(?:Error|Warning)|\.explained\.refuse|diag\.New\w+)\(.*`)
	adds := add.FindAllString(sources(t), -1)
	for _, line := range adds {
		if !strings.Contains(line, "title") {
			t.Errorf("this has no title constant: %s", line)
		}
	}
	if len(adds) < 15 {
		t.Errorf("found only %d diagnostics: are they added in a new way?", len(adds))
	}
}

// sources returns the text of the Go files of this package, except tests.
func sources(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, path := range paths {
		if text, _ := os.ReadFile(path); !strings.HasSuffix(path, "_test.go") {
			all += string(text)
		}
	}
	return all
}

// constants returns the constants of a type of usergroup, as its source has them.
func constants[T ~string](t *testing.T, name string) (all []T) {
	t.Helper()
	source, err := os.ReadFile("../usergroup/problem.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\t(\w+) +`+name+` = "(\w+)"`).FindAllSubmatch(source, -1) {
		if all = append(all, T(found[2])); string(found[1]) != string(found[2]) {
			t.Errorf("%s is %s", found[1], found[2])
		}
	}
	return all
}

// TestEveryProblemIsExplained checks that there are texts for everything that can happen, for each operation and each
// outcome that it can have, and that no message calls the service or shows what has no value.
func TestEveryProblemIsExplained(t *testing.T) {
	t.Parallel()
	team, name, tag := "1001", "Acme", "Testing"
	all := constants[usergroup.Finding](t, "Finding")
	for _, finding := range all {
		for _, operation := range constants[usergroup.Operation](t, "Operation") {
			for _, happened := range []api.Done{api.No, api.Maybe, api.Yes} {
				if happened != api.No && (operation == usergroup.LookUp || operation == usergroup.Preflight) {
					continue // They change nothing.
				}
				p := &usergroup.Problem{
					Finding: finding, Operation: operation, ID: "acme", Done: happened, Expected: "Customer",
					Prior: usergroup.Prior{ID: "acme", TeamID: "1"}, Sent: api.GroupRequest{Name: new("New")},
					Response: api.UserGroup{TeamID: team, Name: &name, EnvironmentTag: &tag, ProvidedID: new("ACME")},
				}
				if finding == usergroup.RunEnded {
					p.Cause = &usergroup.Problem{Operation: usergroup.Update, ID: "other"}
				}
				wantExplained(t, fmt.Sprintf("%s, %s, %d", finding, operation, happened), p)
			}
		}
	}
	if most := len(all) - 2; len(findings) != most { // CallFailed and RunEnded have the texts of the operation.
		t.Errorf("%d of %d findings have texts", len(findings), most)
	}
	for _, kind := range api.Kinds() {
		p := &usergroup.Problem{Operation: usergroup.Update, ID: "acme", Call: &api.Error{
			Kind: kind, Method: "PUT", Reason: "it went wrong",
		}}
		wantExplained(t, fmt.Sprintf("kind %s", kind), p)
		if p.Call.Advice() == "" {
			t.Errorf("kind %s has no advice", kind)
		}
	}
}

// TestNothingIsBlamedForAStop checks that no message blames the network or a proxy for a connection that failed after
// the user had stopped the run: the same signal may have ended the proxy. What a response says stays true.
func TestNothingIsBlamedForAStop(t *testing.T) {
	t.Parallel()
	for _, kind := range api.Kinds() {
		call := api.Error{Kind: kind}
		want := call.Advice()
		if kind == api.NotSent || kind == api.Blocked {
			want = "Run again."
		}
		if call.WasStopped = true; call.Advice() != want {
			t.Errorf("kind %s: the advice is %q, want %q", kind, call.Advice(), want)
		}
	}
}

// TestEveryDifferenceIsNamed checks that a message names what a service shows differently, whichever field it is.
func TestEveryDifferenceIsNamed(t *testing.T) {
	t.Parallel()
	one, _ := api.ParseProperties(`{"a":1}`)
	other, _ := api.ParseProperties(`{"a":2}`)
	for field := range reflect.TypeFor[api.Differences]().Fields() {
		p := &usergroup.Problem{Finding: usergroup.NotTakenAsSent, Operation: usergroup.Update, ID: "acme"}
		sent := reflect.ValueOf(&p.Sent).Elem().FieldByName(field.Name)
		shown := reflect.ValueOf(&p.Response).Elem().FieldByName(field.Name)
		switch sent.Interface().(type) {
		case *string:
			sent.Set(reflect.ValueOf(new("one")))
			shown.Set(reflect.ValueOf(new("other")))
		case api.Properties:
			sent.Set(reflect.ValueOf(one))
			shown.Set(reflect.ValueOf(other))
		default:
			t.Fatalf("add values of %s to this test", field.Name)
		}
		if said := whatDiffers(p); !strings.Contains(said, strings.ToLower(field.Name)) {
			t.Errorf("%s is forgotten in whatDiffers, which says %q", field.Name, said)
		}
	}
}

// wantExplained checks that a message has a title, and says what was done in a paragraph of its own.
func wantExplained(t *testing.T, what string, p *usergroup.Problem) {
	t.Helper()
	said := title(p) + "\n\n" + detail(p)
	paragraphs := strings.Split(said, "\n\n")
	if len(paragraphs) < 2 || done(p) == "" || !slices.Contains(paragraphs, done(p)) || slices.Contains(paragraphs, "") {
		t.Errorf("%s: this explains too little:\n%s", what, said)
	}
	if odd := regexp.MustCompile(`curl|%!|<nil>|0x|\{\}|  | \.|\.\.|"" `).FindString(said); odd != "" {
		t.Errorf("%s: this says %q:\n%s", what, odd, said)
	}
}

// TestFactsDecideWhatIsSaid: a sentence about something that is not so must not be said.
func TestFactsDecideWhatIsSaid(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		problem         *usergroup.Problem
		says, neverSays string
	}{
		"a creation that has left an empty group": {
			&usergroup.Problem{
				Finding: usergroup.LeftBehind, ID: "other", Operation: usergroup.Create, Done: api.Yes, IsWarning: true,
				Left: []string{"other"},
			},
			`A group with the ID "other" may remain`, "was created.",
		},
		"a deletion whose response was lost": {
			&usergroup.Problem{
				Finding: usergroup.LeftBehind, ID: "acme", Operation: usergroup.LookUp, Left: []string{"acme"},
				Call: &api.Error{Kind: api.Cut, Method: http.MethodDelete, Reason: "cut"},
			},
			"A group with the ID", "Nothing proves",
		},
		"a group that nothing proves to be a placeholder": {
			&usergroup.Problem{
				Finding: usergroup.LeftBehind, ID: "acme", Operation: usergroup.LookUp, Left: []string{"acme"},
			},
			"Nothing proves", "The service refused",
		},
		"a response with another name": {
			&usergroup.Problem{
				Finding: usergroup.NotTakenAsSent, ID: "acme", Operation: usergroup.Update, IsWarning: true,
				Sent: api.GroupRequest{Name: new("New")}, Response: api.UserGroup{ProvidedID: new("acme"), Name: new("Old")},
			},
			`The name that was sent is "New"; the service shows "Old".`, "ID",
		},
		"a response with another ID": {
			&usergroup.Problem{
				Finding: usergroup.Mismatched, ID: "acme", Operation: usergroup.Update,
				Response: api.UserGroup{ProvidedID: new("ACME")},
			},
			`The ID that was sent is "acme"; the service shows "ACME".`, "properties",
		},
		"a group that may remain, where a response may be about a live one": {
			&usergroup.Problem{
				Finding: usergroup.Mismatched, ID: "acme", Operation: usergroup.LookUp, Left: []string{"acme"},
			},
			"delete no group by hand", "remove it",
		},
	} {
		said := detail(e.problem)
		if !strings.Contains(said, e.says) || strings.Contains(said, e.neverSays) {
			t.Errorf("%s: it should say %q, and not %q:\n%s", name, e.says, e.neverSays, said)
		}
	}
}

// TestAnErrorThatIsNoProblemIsABug: nothing that has failed may pass for done, even if there are no texts about it.
func TestAnErrorThatIsNoProblemIsABug(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	report(&diags, errors.New("it went wrong"))
	if !diags.HasError() || diags[0].Summary() != titleInternal || diags[0].Detail() != "it went wrong. "+reportBug {
		t.Errorf("the diagnostics are %v", diags)
	}
}

// TestTitlesShortenLongIDs checks that a title with a long ID has at most 80 characters.
func TestTitlesShortenLongIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"acme":                    "Cannot create user group \"acme\"",
		strings.Repeat("x", 53):   "Cannot create user group \"" + strings.Repeat("x", 53) + "\"",
		strings.Repeat("é", 300):  "Cannot create user group \"" + strings.Repeat("é", 52) + "…\"",
		strings.Repeat("\"", 300): "Cannot create user group \"" + strings.Repeat(`\"`, 26) + "…\"",
	} {
		if got := titleFor("Cannot create user group %q", id); got != want {
			t.Errorf("%q: got %s, want %s", id, got, want)
		}
	}
}

// TestEachWarningNamesItsGroup: engines show one of several warnings with the same title, so a title names no group
// only if the reader has to do nothing about each one. The title of every error names it.
func TestEachWarningNamesItsGroup(t *testing.T) {
	t.Parallel()
	counted := []usergroup.Finding{
		usergroup.Adopted, usergroup.Kept, usergroup.NotTakenAsSent, usergroup.UnexpectedToken,
	}
	for _, finding := range constants[usergroup.Finding](t, "Finding") {
		isOfKey := finding == usergroup.WrongKey
		for _, succeeded := range []bool{false, true} {
			p := &usergroup.Problem{Finding: finding, Operation: usergroup.Update, ID: "acme", IsWarning: succeeded}
			names, must := strings.Contains(title(p), `"acme"`), !succeeded || !slices.Contains(counted, finding)
			if names != must && !isOfKey {
				t.Errorf("%s, succeeded %t: the title is %s", finding, succeeded, title(p))
			}
		}
	}
}
