package acceptance

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// parts contains a test for each part of a page that has blocks, by page and anchor of the heading. TestAccBlocksParse
// parses all blocks.
var parts = map[string]part{
	"README.md#is-this-for-you": {follow: showsWire},
	"README.md#see-it-work":     {follow: showsDemo},
	"README.md#try-it-yourself": {follow: triesReadme},
	"index.md#example-usage": {follow: func(r *reader) {
		r.copy(examplesDir + "/provider/provider.tf")
		r.runs()
		r.has("acme")
		r.plansNothing()
	}},
	"actions/rotate_user_group_token.md#example-usage": {needs: engine.Actions, follow: invokes},
	"list-resources/user_group.md#example-usage": {
		needs:  engine.Query,
		follow: queries("user_group_id=acme", "user_group_id=initech", "2 to import, 0 to add, 0 to change"),
	},

	"guides/getting-started.md": {needs: engine.ForEachImport, options: bothEnvironments, follow: importsCustomers},

	"guides/service-behavior.md#the-probe": {options: clearing, follow: probes},

	"guides/changing-groups.md#stop-managing-a-group":   {needs: engine.Removed, follow: forgets},
	"guides/changing-groups.md#move-to-another-address": {follow: moves},

	"guides/wrong-environment.md#undo-an-apply": {
		needs: engine.ForEachImport, options: bothEnvironments, follow: undoesApply,
	},

	"guides/network.md#gateways": {follow: readsGateways},

	"guides/testing.md#with-the-emulator":      {needs: engine.Mocks, follow: testsWithEmulator},
	"guides/testing.md#with-a-mocked-provider": {needs: engine.Mocks, follow: testsWithMocks},

	"guides/troubleshooting.md#remove-an-empty-group":     {follow: removesLeftover},
	"guides/troubleshooting.md#the-provider-is-not-found": {follow: installsFromMirror},
	"guides/troubleshooting.md#the-lock-file": {follow: func(r *reader) {
		r.starts(acmeBlock)
		r.updatesProvider()
	}},
}

// queries returns a function that lists two groups with the example. It checks that the next block prints the words.
func queries(words ...string) func(r *reader) {
	return func(r *reader) {
		for id, name := range acmeInitech {
			r.service.Seed(emulator.Group{ID: id, Name: name})
		}
		r.copy(examplesDir + "/list-resources/embed_user_group")
		r.init()
		r.quotes(strings.Join(words, "\n\n"), r.runs())
		r.has("acme", "initech")
	}
}

func forgets(r *reader) {
	removed := r.take("terraform")
	r.begins(group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`))
	r.write("main.tf", removed)
	r.service.ResetCounts()
	r.must("apply", "-auto-approve")
	r.onlyLooked()

	r.begins(group("customer", `for_each = { initech = "Initech Inc." }`, "user_group_id = each.key", "name = each.value"))
	r.shell(strings.ReplaceAll(r.take("shell"), "acme", "initech"))
	r.has("acme", "initech")
}

// moves follows the block, which moves a group without a change.
func moves(r *reader) {
	r.begins(group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`))
	customer := group("customer", `for_each = { acme = "Acme Ltd" }`, "user_group_id = each.key", "name = each.value")
	r.write("main.tf", customer+r.take("terraform"))
	r.service.ResetCounts()
	r.apply()
	r.onlyLooked()
	r.plansNothing()
}

func invokes(r *reader) {
	r.copy(examplesDir + "/actions/embed_rotate_user_group_token/action.tf")
	r.init()
	r.apply()
	printed := r.runs()
	r.quotes("Rotated; the new token has the fingerprint", printed)
	r.quotes("token_fingerprint", printed)
	r.rotated("acme", 1)
	r.plansNothing("-refresh=false")
}

// showsDemo checks the recording against the script of the demo, and the lines on the page against the recording.
// make demo runs the script.
func showsDemo(r *reader) {
	r.followsMake(r.take("shell"), "")
	recording, script := readPage(r.t, examplesDir+"/demo/recording.txt"), readPage(r.t, "testdata/scripts/demo.txtar")
	for line := range strings.Lines(r.take("text")) {
		if !strings.Contains(recording, strings.TrimSpace(line)) {
			r.t.Errorf("the recording does not have %q", line)
		}
	}
	var titles []string
	for _, found := range regexp.MustCompile(`(?m)^step '(.*)'$`).FindAllStringSubmatch(script, -1) {
		titles = append(titles, found[1])
	}
	for _, found := range regexp.MustCompile(`(?m)^ ?\d+\. (.*)$`).FindAllStringSubmatch(recording, -1) {
		if len(titles) == 0 || found[1] != titles[0] {
			r.t.Fatalf("the recording has the step %q, want the first of %q", found[1], titles)
		}
		titles = titles[1:]
	}
	if len(titles) > 0 {
		r.t.Errorf("the recording does not have %q", titles)
	}
	proof := regexp.MustCompile(`(?m)^    ✓ (.*)$`)
	for _, found := range proof.FindAllStringSubmatch(recording, -1) {
		said, got, isResult := strings.Cut(found[1], "the service got ")
		words := quotation.FindAllString(said, -1)
		if isResult {
			calls, _, _ := strings.Cut(got, ";")
			words = append(words, calls)
		}
		for _, quoted := range words {
			if !strings.Contains(script, "'"+strings.Trim(quoted, "“”")) {
				r.t.Errorf("the demo does not print %q. Record it again: make demo >examples/demo/recording.txt", quoted)
			}
		}
	}
}

var quotation = regexp.MustCompile(`“[^”]*”`)

// showsWire sends the requests on the page to the emulator, which has to answer with the same fields.
func showsWire(r *reader) {
	headers := r.take("text")
	methods := []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodDelete}
	token, request := "", ""
	for i, method := range methods {
		shown := r.take("text")
		if i < len(methods)-1 {
			request, shown, _ = strings.Cut(shown, "\n")
		}
		answer, status := r.sends(method, strings.NewReplacer(`"old"`, token, `"new"`, token).Replace(request), headers)
		if isRefused := i == len(methods)-1; isRefused != (status == http.StatusNotFound) {
			r.t.Errorf("%s %s is answered with %d", method, request, status)
		}
		if got, want := fieldsOf(r.t, answer), fieldsOf(r.t, shown); !slices.Equal(got, want) {
			r.t.Errorf("%s %s: the page shows %q, but the emulator answers with %q", method, request, want, got)
		}
		if found := tokenPattern.FindString(answer); found != "" {
			token = `"` + found + `"`
		}
	}
}

// sends sends a request with the headers of the page to the emulator.
func (r *reader) sends(method, body, headers string) (answer string, status int) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.service.URL()+"/api/user", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		request.Header.Set(name, strings.Replace(value, "API_KEY", emulator.DefaultKey, 1))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text), response.StatusCode
}

// fieldsOf returns the fields of a response in order, and those of its group.
func fieldsOf(t *testing.T, text string) []string {
	t.Helper()
	var fields []string
	read := func(text []byte) map[string]json.RawMessage {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		return object
	}
	for name, value := range read([]byte(text)) {
		fields = append(fields, name)
		if name != "user_group" {
			continue
		}
		for inner := range read(value) {
			fields = append(fields, "user_group."+inner)
		}
	}
	slices.Sort(fields)
	return fields
}

// triesReadme tries the provider and cleans up. It neither installs nor removes a provider in the home directory.
func triesReadme(r *reader) {
	r.followsMake(r.take("shell"), "go run ./cmd/embed-emulator")
	r.write("main.tf", r.take("hcl"))
	printed := r.shell(r.take("shell"))
	if acme, _ := r.service.Group("acme"); !strings.HasSuffix(printed, acme.Token) || acme.Name != "Acme Ltd" {
		r.t.Error("the command does not print the group's token, or its name is wrong")
	}
	r.plansNothing()
	r.says("acme_token = <sensitive>", "output")
	cleanup, installed, found := strings.Cut(r.take("shell"), "rm -rf ~/.terraform.d/plugins/")
	if !found || installed != "*/dashembed/embed\n" {
		r.t.Errorf("the page does not remove the provider: %q", installed)
	}
	r.shell(cleanup)
	r.has()
}

// updatesProvider runs the next block after the checksum of the provider has changed, as after make install with newer
// code. Without it, terraform init fails as the pages say, even with -upgrade.
func (r *reader) updatesProvider() {
	r.t.Helper()
	const lock = ".terraform.lock.hcl"
	r.write(lock, checksums.ReplaceAllString(r.read(lock), `"h1:`+strings.Repeat("A", 43)+`="`))
	r.fails("any of the checksums", "init")
	r.fails("any of the checksums", "init", "-upgrade")
	r.shell(strings.ReplaceAll(r.take("shell"), "$HOME/.terraform.d/plugins", buildDir))
}

// checksums matches the checksums in a lock file.
var checksums = regexp.MustCompile(`"(?:h1|zh):[^"]+"`)

// installsFromMirror installs the provider with the CLI configuration of the page.
func installsFromMirror(r *reader) {
	const mirror = "/home/me/.terraform.d/plugins"
	configuration := r.take("hcl")
	if !strings.Contains(configuration, mirror) {
		r.t.Fatalf("the page does not set %s", mirror)
	}
	r.write("cli.tfrc", strings.Replace(configuration, mirror, buildDir, 1))
	r.write("main.tf", requiredProviders)
	r.env = append(slices.Clone(r.env), "TF_CLI_CONFIG_FILE="+filepath.Join(r.dir, "cli.tfrc"))
	r.must("init")
}

// followsMake checks that each line of a script is a target of the makefile, or the command.
func (r *reader) followsMake(script, command string) {
	r.t.Helper()
	makefile := readPage(r.t, "../../GNUmakefile")
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		target, isMake := strings.CutPrefix(strings.TrimSpace(line), "make ")
		if isMake && !strings.Contains(makefile, "\n"+target+": ") || !isMake && strings.TrimSpace(line) != command {
			r.t.Errorf("there is no target for %q", line)
		}
	}
}

// removesLeftover looks up a group, reads its token, and deletes it, as the provider's messages advise.
func removesLeftover(r *reader) {
	engine.NeedsProgram(r.t, "curl")
	r.service.Seed(emulator.Group{ID: "acme"})
	acme, _ := r.service.Group("acme")
	found := r.runs()
	if !strings.Contains(found, acme.Token) || !strings.Contains(found, `"new_user_group":false`) {
		r.t.Errorf("the response shows no token, or not whether the group is new:\n%s", found)
	}
	r.shell(strings.Replace(r.take("shell"), "TOKEN\"", acme.Token+"\"", 1))
	r.has()
}
