package provider_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// hostile is what somebody may store to reach the terminal or the CI runner of whoever runs Terraform.
const hostile = "::error file=a.go::x \u202e\x1b[31m\r\n::stop::y ##[error]z ##vso[task.complete]w\u2028é\u3000&"

// runnerCommands matches what CI runners obey. Engines may begin a line with any word of a message.
var runnerCommands = regexp.MustCompile(`(^|\s)::|##\w*\[`)

// reaches reports whether one line of output can move the cursor or command a runner.
func reaches(line string) bool {
	isHidden := func(r rune) bool { return !strconv.IsGraphic(r) }
	return strings.ContainsFunc(line, isHidden) || runnerCommands.MatchString(line)
}

// TestStoredTextsReachNoTerminal: whatever the service stores or says, it moves no terminal, and commands no
// runner.
func TestStoredTextsReachNoTerminal(t *testing.T) {
	t.Parallel()
	quoted, _ := json.Marshal(hostile)
	for name, response := range map[string]struct {
		status int
		body   string // in which $ is the text
		media  string
	}{
		"a refusal":  {400, `{"message":$}`, "application/json"},
		"a fault":    {422, `{"name":[$]}`, "application/json"},
		"a page":     {400, "<title>" + hostile + "</title>", "text/html"},
		"a text":     {400, hostile, "text/plain"},
		"an ID":      {200, `{"success":1,"user_group":{"team_id":1001,"provided_id":$}}`, "application/json"},
		"a number":   {200, `{"success":1,"user_group":{"team_id":$,"token":"t","provided_id":"acme"}}`, "application/json"},
		"a name":     {200, `{"success":1,"user_group":{"team_id":1001,"name":$}}`, "application/json"},
		"properties": {200, `{"success":1,"user_group":{"team_id":1001,"properties":{$:1}}}`, "application/json"},
		"a tag":      {200, `{"success":1,"user_group":{"team_id":1001,"api_environment_tag":$}}`, "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, emulator.Options{})
			state := p.Updated(p.Created(Acme()), Acme("name", "B")) // which shows the tag
			p.Service.Fail(emulator.Fault{
				Kind: emulator.Answer, Status: response.status, Body: strings.ReplaceAll(response.body, "$", string(quoted)),
				Header: http.Header{"Content-Type": {response.media}},
			})
			diags := append(second(p.Read(state)).List, second(p.Update(state, Acme("properties", `{"a":2}`))).List...)
			shown := ""
			for _, d := range diags {
				shown += d.Summary + "\n" + d.Detail + "\n"
			}
			for line := range strings.Lines(shown) {
				if reaches(strings.TrimSuffix(line, "\n")) {
					t.Errorf("%q reaches the terminal", line)
				}
			}
			if !strings.Contains(shown, "stop") {
				t.Errorf("nothing shows the text: %s", shown)
			}
		})
	}
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "::error::", Name: hostile})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Ä::ö #1"})
	listed := Silent(p.List(0, true, "::error::", "acme"))
	if name := listed[0].Name; reaches(name) || !strings.Contains(name, "é\u3000& (") || !strings.Contains(name, `\x1b`) {
		t.Errorf("a query shows %q", name)
	}
	if name := listed[1].Name; name != "Ä::ö #1 (acme)" {
		t.Errorf("a query shows %q", name)
	}
	if got := listed[0].Resource["name"]; got != hostile {
		t.Errorf("a query has the name %q", got)
	}
}

// TestConfiguredIDsReachNoTerminal: an ID may come from a list that customers can change.
func TestConfiguredIDsReachNoTerminal(t *testing.T) {
	t.Parallel()
	const id = "x ::error::y"
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: id})
	shown, diags := p.Invoke(ByID(id))
	diags.WantNone()
	imported := p.Refreshed(p.Imported(id))
	protected := p.Updated(imported, Acme("user_group_id", id, "deletion_protection", true))
	for _, diags := range []Diags{
		p.Plan(imported, Acme("user_group_id", "other")).Diags, p.Plan(protected, nil).Diags,
	} {
		for _, d := range diags.List {
			shown = append(shown, d.Summary, d.Detail)
		}
	}
	if len(shown) < 6 {
		t.Errorf("too little is shown: %q", shown)
	}
	for _, text := range shown {
		if runnerCommands.MatchString(text) {
			t.Errorf("%q reaches the CI runner", text)
		}
	}
}
