package probe_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dashembed/terraform-provider-embed/internal/probe"
)

var example = probe.Report{
	Calls: 7,
	Rows: []probe.Row{
		{Question: "q1", Finding: "f1", Severity: probe.OK, Asked: "Updating", Found: "is allowed"},
		{
			Question: "q2", Finding: "f2", Severity: probe.Note, Asked: "IDs", Found: "are one group",
			Means: strings.Repeat("word ", 16) + "end.", ReadOn: "https://service.example/page",
		},
		{Question: "q3", Finding: "f3", Severity: probe.Bad, Asked: "A lookup", Found: "lies", Means: "Give up."},
	},
	Left: []string{"embed-probe-x"}, Problem: "It was stopped.",
}

func TestText(t *testing.T) {
	var text bytes.Buffer
	if err := example.Text(&text); err != nil {
		t.Fatal(err)
	}
	const want = `ok     Updating                          is allowed
note   IDs                               are one group
ERROR  A lookup                          lies

ERROR  A lookup lies
       Give up.

note   IDs are one group
       word word word word word word word word word word word word word word
       word word end.
       https://service.example/page

Errors: 1. Notes: 1. Calls: 7.
The probe ended early. It was stopped.

The probe may have left groups at the service. To remove them, set EMBED_API_KEY to
a key that can delete groups, and run:
  curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" ` +
		`-H 'Content-Type: application/json' -d '{"user_group_id":"embed-probe-x"}'
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
}

// TestEveryFindingSaysWhereToReadOn: a finding that is not OK says what follows, and links to a heading that exists.
func TestEveryFindingSaysWhereToReadOn(t *testing.T) {
	dashes, others := regexp.MustCompile(` `), regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for name, row := range probe.RowsOfFindings() {
		if utf8.RuneCountInString(row.Asked) > 33 {
			t.Errorf("%s is too long for its column", row.Asked)
		}
		if row.Severity != probe.OK && row.Means == "" && row.Finding != "unknown" {
			t.Errorf("%s does not say what follows", name)
		}
		if row.Severity == probe.OK && row.Means != "" {
			t.Errorf("%s says what follows, but is not printed", name)
		}
		if row.ReadOn == "" {
			continue
		}
		page, anchor, _ := strings.Cut(strings.TrimPrefix(row.ReadOn, probe.Docs), "#")
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var found bool
		for line := range strings.Lines(string(text)) {
			heading := strings.ToLower(strings.TrimLeft(strings.TrimSpace(line), "#"))
			heading = dashes.ReplaceAllString(others.ReplaceAllString(strings.TrimSpace(heading), ""), "-")
			found = found || strings.HasPrefix(line, "#") && heading == anchor
		}
		if anchor != "" && !found {
			t.Errorf("%s links to %s, which is not a heading", name, row.ReadOn)
		}
	}
}
