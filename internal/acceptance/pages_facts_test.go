package acceptance

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/probe"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
	"github.com/dashembed/terraform-provider-embed/internal/settings"
)

// The tests in this file hold what the pages state against what is true: messages, defaults, bounds, versions, statuses
// and numbers of calls.

// everyPage returns the texts of all pages, and of each README.
func everyPage(t *testing.T) map[string]string {
	t.Helper()
	texts := pages(t)
	for name, text := range exampleFiles(t) {
		if strings.HasSuffix(name, ".md") {
			texts["examples/"+name] = text
		}
	}
	texts["README.md"] = readPage(t, "../../README.md")
	return texts
}

// TestPicturesSayWhatPagesSay checks that each flag, argument, output and number of a plan in a picture also stands on
// a page or in an example, and that each call is one of README. It does not find what stands in the wrong place.
func TestPicturesSayWhatPagesSay(t *testing.T) {
	t.Parallel()
	readme := readPage(t, "../../README.md")
	said := readme + strings.Join(slices.Collect(maps.Values(pages(t))), "") +
		strings.Join(slices.Collect(maps.Values(exampleFiles(t))), "")
	inPicture := regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`)
	checkable := regexp.MustCompile(`-[a-z]+(?:-[a-z]+)*(?:=\w+)?|[a-z]+_[a-z_]+(?: = \w+)?|\d+ to (?:import|add|destroy)`)
	files, _ := filepath.Glob("../../docs/images/*.svg")
	found := 0
	for _, file := range files {
		for _, text := range inPicture.FindAllStringSubmatch(readPage(t, file), -1) {
			words := checkable.FindAllString(text[1], -1)
			if method, _, isCall := strings.Cut(text[1], " {"); isCall {
				words = append(words, "**"+strings.TrimSpace(method)+"**")
			}
			for _, word := range words {
				whole := regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(word) + `(?:[^\w-]|$)`)
				if found++; !whole.MatchString(said) {
					t.Errorf("%s says %s in %q, and no page does", filepath.Base(file), word, text[1])
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("found only %d words that can be checked", found)
	}
}

// textsOf returns the string constants in the Go files of a directory. Those that are joined with + are one.
func textsOf(t *testing.T, dir string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			expression, is := node.(ast.Expr)
			if !is {
				return true
			}
			text, isText := constantText(expression)
			if isText {
				texts = append(texts, text)
			}
			return !isText
		})
	}
	return texts
}

// constantText returns the text of a literal, or of literals that are joined with +.
func constantText(expression ast.Expr) (text string, is bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := constantText(e.X)
		right, isRight := constantText(e.Y)
		return left + right, isLeft && isRight
	}
	return "", false
}

// engineSays are words of Terraform or OpenTofu that pages quote. Tests that follow the pages run into most of them.
var engineSays = []string{
	"0 to add", "0 to destroy", "to add", "to change", "to destroy", "to forget", "to import", "No changes",
	"Check block assertion failed", "Failed to install provider", "Incomplete lock file information",
	"doesn't match any of the checksums", "does not have a provider named", "will no longer be managed",
}

// stressed are words that pages only stress.
var stressed = []string{"Production", "Sensitive", "data sources", "no", "schema IDs", "user group", "whether"}

// TestQuotedMessages checks that whatever a page sets in italics is a message of the provider or the probe, or words of
// an engine, or known to be only stressed. A message that was reworded or never existed is found.
func TestQuotedMessages(t *testing.T) {
	t.Parallel()
	said := strings.Join(slices.Concat(textsOf(t, "../provider"), textsOf(t, "../probe")), "\n")
	said = strings.ReplaceAll(said, "%q", `"…"`)
	bold := regexp.MustCompile(`\*\*[^*]+\*\*`)
	italics := regexp.MustCompile(`\*([^*\n]+)\*`)
	ofProvider := 0
	for name, page := range everyPage(t) {
		page = inlineCode.ReplaceAllString(codeBlock.ReplaceAllString(page, ""), "")
		for _, found := range italics.FindAllStringSubmatch(bold.ReplaceAllString(page, ""), -1) {
			switch quoted := found[1]; {
			case slices.Contains(engineSays, quoted), slices.Contains(stressed, quoted):
			case strings.Contains(said, quoted):
				ofProvider++
			default:
				t.Errorf("%s quotes %q, which neither the provider nor the probe says", name, quoted)
			}
		}
	}
	if ofProvider < 6 {
		t.Errorf("found only %d messages of the provider", ofProvider)
	}
}

// described returns the description of each argument in the schema of a page.
func described(t *testing.T, page string) map[string]string {
	t.Helper()
	all := map[string]string{}
	argument := regexp.MustCompile("(?m)^- `(\\w+)` \\([^)]+\\) (.*)$")
	for _, found := range argument.FindAllStringSubmatch(readPage(t, filepath.Join(docsDir, page)), -1) {
		all[found[1]] = found[2]
	}
	return all
}

var (
	byDefault = regexp.MustCompile("Defaults to `([^`]+)`")
	between   = regexp.MustCompile("Between `([^`]+)` and `([^`]+)`")
	atLeast   = regexp.MustCompile("At least `([^`]+)`")
	validAre  = regexp.MustCompile(`Valid values are ([^.]+)\.`)
	oneCode   = regexp.MustCompile("`([^`]+)`")
)

// refused reports whether the provider refuses an argument with this text.
func refused(argument, text string) bool {
	only := map[string]string{argument: text}
	return len(settings.Check(func(name string) (string, bool) {
		text, is := only[name]
		return text, is
	})) > 0
}

// TestFactsOfProviderArguments checks each default, bound and valid value that the descriptions state.
func TestFactsOfProviderArguments(t *testing.T) { //nolint:paralleltest // it reads the environment
	read, faults := settings.Read(func(argument string) (string, bool) {
		text, is := map[string]string{"base_url": "https://a.example", "api_key": "k"}[argument]
		return text, is
	})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	defaults := map[string]string{
		"request_timeout": read.Client.RequestTimeout.String(), "retry_wait_max": read.Client.RetryWaitMax.String(),
		"max_retries": strconv.Itoa(read.Client.MaxRetries), "allow_http": strconv.FormatBool(!refusesHTTP()),
	}
	pageSays(t, "index.md", "Every argument has such a variable: `EMBED_` and its name in capitals. The provider block "+
		"wins.")
	facts := 0
	for argument, text := range described(t, "index.md") {
		if settings.Variable(argument) != "EMBED_"+strings.ToUpper(argument) {
			t.Errorf("%s has the variable %s", argument, settings.Variable(argument))
		}
		if found := byDefault.FindStringSubmatch(text); found != nil || defaults[argument] != "" {
			if facts++; found == nil || found[1] != defaults[argument] {
				t.Errorf("%s defaults to %q, but the page says %q", argument, defaults[argument], text)
			}
		}
		if found := between.FindStringSubmatch(text); found != nil {
			facts++
			most, _ := strconv.Atoi(found[2])
			if refused(argument, found[1]) || refused(argument, found[2]) || !refused(argument, "-1") ||
				!refused(argument, strconv.Itoa(most+1)) {
				t.Errorf("%s has other bounds than %q", argument, found[0])
			}
		}
		if found := atLeast.FindStringSubmatch(text); found != nil {
			facts++
			least, _ := strconv.ParseFloat(found[1], 64)
			if refused(argument, found[1]) || !refused(argument, strconv.FormatFloat(least*0.99, 'f', -1, 64)) {
				t.Errorf("%s has another bound than %q", argument, found[0])
			}
		}
		if found := validAre.FindStringSubmatch(text); found != nil {
			facts++
			for _, value := range oneCode.FindAllStringSubmatch(found[1], -1) {
				if refused(argument, value[1]) || !refused(argument, value[1]+"x") {
					t.Errorf("%s does not take %q, or takes anything", argument, value[1])
				}
			}
		}
	}
	if facts < 9 {
		t.Errorf("found only %d facts", facts)
	}
}

// refusesHTTP reports whether an address without TLS is refused by default.
func refusesHTTP() bool {
	_, faults := settings.Read(func(argument string) (string, bool) {
		text, is := map[string]string{"base_url": "http://a.example", "api_key": "k"}[argument]
		return text, is
	})
	return len(faults) > 0
}

// acmeConfig is a configuration of the resource, with other arguments.
func acmeConfig(more ...any) protocoltest.Object {
	return protocoltest.With(protocoltest.Object{"user_group_id": "acme", "name": "Acme"}, more...)
}

func provides(t *testing.T, options emulator.Options) *protocoltest.Provider {
	t.Helper()
	return protocoltest.Start(t, provider.NewServer("test"), options)
}

// TestFactsOfResourceArguments checks the defaults and bounds that the descriptions of the resource state.
func TestFactsOfResourceArguments(t *testing.T) {
	t.Parallel()
	texts := described(t, "resources/user_group.md")
	p := provides(t, emulator.Options{})
	found := between.FindStringSubmatch(texts["rotate_token_after_days"])
	if found == nil {
		t.Fatal("the page states no bounds")
	}
	for text, valid := range map[string]bool{found[1]: true, found[2]: true, "0": false, found[2] + "0": false} {
		days, _ := strconv.ParseInt(text, 10, 64)
		if diags := p.Validate(acmeConfig("rotate_token_after_days", days)); diags.HasError() == valid {
			t.Errorf("%d days: %s", days, diags)
		}
	}
	for argument, want := range map[string]string{
		"store_token": "true", "adopt_existing": "false", "deletion_protection": "false",
	} {
		if found := byDefault.FindStringSubmatch(texts[argument]); found == nil || found[1] != want {
			t.Errorf("the default of %s is %s, but the page says %q", argument, want, texts[argument])
		}
	}
	state := p.Created(acmeConfig())
	p.WantTruth(state, "acme") // The token is stored.
	if _, diags := p.Create(acmeConfig()); !diags.HasError() {
		t.Error("a group was adopted by default")
	}
	p.WantDestroyed(state) // It is not protected.
	p.WantGroups()
}

// TestFactsOfVersions checks that no version in the table of the provider's page is newer than the one from which tests
// use the feature, and that an older one stands there for a reason.
func TestFactsOfVersions(t *testing.T) {
	t.Parallel()
	table := readPage(t, filepath.Join(docsDir, "index.md"))
	for row, feature := range map[string]engine.Feature{
		"`for_each` in `import` blocks":                        engine.ForEachImport,
		"`removed` blocks with `lifecycle`":                    engine.Removed,
		"Tests of a module":                                    engine.Mocks,
		"Function `token_fingerprint`":                         engine.Functions,
		"Write-only arguments of other providers":              engine.WriteOnly,
		"Import by identity":                                   engine.Identity,
		"Action, and `terraform query` with the list resource": engine.Actions,
	} {
		_, versions, found := strings.Cut(table, "| "+row+" | ")
		cells := strings.SplitN(versions, " | ", 2)
		if !found || len(cells) < 2 {
			t.Errorf("there is no row %q", row)
			continue
		}
		openTofu, _, _ := strings.Cut(cells[1], " |")
		for name, version := range map[string]string{engine.Terraform: cells[0], engine.OpenTofu: openTofu} {
			least := engine.Engine{Name: name, Version: version}
			isNone := version == "not available"
			if isNone {
				least.Version = "99"
			}
			if feature.In(least) == isNone || !isNone && feature.In(before(least)) {
				t.Errorf("%s: tests do not use it from %s %s on", row, name, version)
			}
		}
	}
}

// before returns the engine with the minor version before.
func before(e engine.Engine) engine.Engine {
	major, minor, _ := strings.Cut(e.Version, ".")
	number, _ := strconv.Atoi(minor)
	e.Version = major + "." + strconv.Itoa(number-1)
	return e
}

// TestFactsOfRotations checks that a rotation whose outcome is unknown is not sent again, whatever the status.
func TestFactsOfRotations(t *testing.T) {
	t.Parallel()
	pageSays(t, "guides/service-behavior.md", "A rotation that may have been carried out is not sent again, only "+
		"looked for.")
	synctest.Test(t, func(t *testing.T) {
		service := emulator.New(emulator.Options{})
		ours := provider.NewForTests("test", time.Now, protocoltest.InProcess{Handler: service})
		p := protocoltest.Bare(t, providerserver.NewProtocol6(ours()))
		p.Use(service, emulator.Options{})
		p.Configure(p.Arguments()).WantNone()
		state := p.Created(acmeConfig("rotate_token_when_changed", protocoltest.Object{"a": "1"}))
		for _, status := range []int{
			400, 401, 403, 404, 405, 408, 409, 410, 422, 423, 425, 429, 500, 501, 502, 503, 504, 520, 522, 524, 529,
		} {
			p.Walk().WantNone()
			service.ResetCounts()
			service.Fail(emulator.Fault{Method: "POST", Kind: emulator.Answer, Status: status, Body: `{"success":0}`})
			_, diags := p.Update(state, acmeConfig("rotate_token_when_changed", protocoltest.Object{"a": "2"}))
			service.ClearFaults()
			unknown := strings.Contains(strings.Join(strings.Fields(diags.String()), " "), "It is not known whether")
			if sent := countOf("POST", service.Calls()); sent > 1 && unknown {
				t.Errorf("%d: sent %d times\n%s", status, sent, diags)
			}
		}
	})
}

func countOf(method string, calls []emulator.Call) (count int) {
	for _, call := range calls {
		if call.Method == method {
			count++
		}
	}
	return count
}

// TestFactsOfTheProbe checks the exit codes and the headings on the page.
func TestFactsOfTheProbe(t *testing.T) {
	t.Parallel()
	pageSays(t, "guides/service-behavior.md", fmt.Sprintf("It exits with %d if there is something to do first, and with "+
		"%d if it ended early or left a group behind.", probe.ExitUnsafe, probe.ExitUnfinished))
}

// TestFactsOfCalls checks the numbers of calls.
func TestFactsOfCalls(t *testing.T) {
	t.Parallel()
	pageSays(t, "guides/service-behavior.md", "One call is enough to look up, create, update, rotate or delete a group. "+
		"Without a token in the state, a rotation or a deletion can take two, as can the action.")
	trigger := func(value string) protocoltest.Object { return protocoltest.Object{"a": value} }
	one := acmeConfig("rotate_token_when_changed", trigger("1"))
	operations := map[string]struct {
		calls   string
		operate func(p *protocoltest.Provider, state protocoltest.State)
	}{
		"look up": {"GET", func(p *protocoltest.Provider, state protocoltest.State) { p.Refreshed(state) }},
		"create": {"GET", func(p *protocoltest.Provider, _ protocoltest.State) {
			_, _ = p.Create(acmeConfig("user_group_id", "new"))
		}},
		"fail because the group exists": {"GET", func(p *protocoltest.Provider, _ protocoltest.State) {
			_, _ = p.Create(acmeConfig())
		}},
		"update": {"PUT", func(p *protocoltest.Provider, state protocoltest.State) {
			p.Updated(state, protocoltest.With(one, "name", "Other", "properties", "{}"))
		}},
		"rotate": {"POST", func(p *protocoltest.Provider, state protocoltest.State) {
			p.Updated(state, protocoltest.With(one, "rotate_token_when_changed", trigger("2")))
		}},
		"delete": {"DELETE", func(p *protocoltest.Provider, state protocoltest.State) { p.WantDestroyed(state) }},
		"the action": {"GET > POST", func(p *protocoltest.Provider, _ protocoltest.State) {
			_, _ = p.Invoke(protocoltest.Object{"user_group_id": "acme"})
		}},
		"adopt": {"GET > GET > PUT", func(p *protocoltest.Provider, _ protocoltest.State) {
			_, _ = p.Create(acmeConfig("adopt_existing", true))
		}},
		"a missing group": {"GET > preflight > GET > DELETE", func(p *protocoltest.Provider, _ protocoltest.State) {
			_, _ = p.Data("embed_user_group", protocoltest.Object{"user_group_id": "nobody"})
		}},
	}
	for name, it := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := provides(t, emulator.Options{})
			state := p.Created(one)
			p.Service.ResetCounts()
			it.operate(p, state)
			p.WantCalls(it.calls)
		})
	}
}

// TestNamesInPagesExist checks the variables that pages name, and the flags of the emulator.
func TestNamesInPagesExist(t *testing.T) {
	t.Parallel()
	var variables []string
	for _, argument := range settings.Names() {
		variables = append(variables, settings.Variable(argument))
	}
	variable := regexp.MustCompile(`EMBED_[A-Z_]+`)
	flag := regexp.MustCompile("`-([a-z-]+)(?: [^`]*)?`")
	var help bytes.Buffer
	emulator.Command(t.Context(), []string{"-help"}, nil, &help)
	for name, page := range everyPage(t) {
		for _, found := range variable.FindAllString(page, -1) {
			if !slices.Contains(variables, found) {
				t.Errorf("%s names %s, which is no variable", name, found)
			}
		}
		if name != "guides/testing.md" {
			continue
		}
		for _, found := range flag.FindAllStringSubmatch(page, -1) {
			line := regexp.MustCompile(`(?m)^  -` + found[1] + `( |$)`)
			if found[1] != "help" && !line.Match(help.Bytes()) {
				t.Errorf("the emulator has no flag %s", found[1])
			}
		}
	}
}

// TestAccWorkflows checks every workflow on a page, and of an example, with actionlint.
func TestAccWorkflows(t *testing.T) {
	t.Parallel()
	r := &reader{workbench: workbenchWith(t, emulator.Options{})}
	workflows := 0
	for _, page := range everyPage(t) {
		for _, found := range fence.FindAllStringSubmatch(page, -1) {
			if strings.Contains(found[3], "runs-on:") {
				workflows++
				r.isWorkflow(found[3])
			}
		}
	}
	err := fs.WalkDir(os.DirFS(examplesDir), ".", func(path string, _ fs.DirEntry, err error) error {
		if slices.Contains([]string{".yml", ".yaml"}, filepath.Ext(path)) {
			if text := readPage(t, filepath.Join(examplesDir, path)); strings.Contains(text, "runs-on:") {
				workflows++
				r.isWorkflow(text)
			}
		}
		return err
	})
	if err != nil || workflows < 3 {
		t.Errorf("found %d workflows, %v", workflows, err)
	}
}

// TestAccFactsOfKeys checks which keys a saved plan contains, as the pages say.
func TestAccFactsOfKeys(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	key := regexp.MustCompile(emulator.DefaultKey)
	variable := "variable \"key\" {\n  default = null\n}\n"
	for argument, isInPlan := range map[string]bool{
		`"` + emulator.DefaultKey + `"`: true, "var.key": true, `trimspace(file("../key"))`: false, "null": false,
	} {
		one := *w
		one.dir = filepath.Join(t.TempDir(), "configuration")
		if err := os.Mkdir(one.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		one.write("../key", emulator.DefaultKey+"\n")
		one.configure(variable, "provider \"embed\" {\n  api_key = "+argument+"\n}\n", acmeBlock)
		arguments := []string{"plan", "-out=planned"}
		if argument == "var.key" {
			arguments = append(arguments, "-var=key="+emulator.DefaultKey)
		}
		one.must(arguments...)
		one.write("main.tf", "")
		if found := one.filesWith(key); len(found) > 0 != isInPlan {
			t.Errorf("with api_key = %s, the key is in %q", argument, found)
		}
	}
}
