package protocoltest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Diags are the diagnostics of one operation.
type Diags struct {
	t    *testing.T
	List []*tfprotov6.Diagnostic
}

// named matches what may be the name of an argument, an environment variable or a command. Quoted texts have none: they
// come from the service.
var named = regexp.MustCompile(`"[^"]*"|\b[a-z]+(_[a-z]+)+\b|\bEMBED(_[A-Z]+)+\b|\bterraform (state )?[a-z]+|\bcurl\b`)

// Diagnostics checks that the diagnostics of a call are complete, show no secret, and name only what exists.
func (p *Provider) Diagnostics(list []*tfprotov6.Diagnostic) Diags {
	p.T.Helper()
	for _, d := range list {
		unknown := slices.ContainsFunc(named.FindAllString(d.Detail, -1), func(name string) bool {
			return name[0] != '"' && !slices.Contains(p.names, name)
		})
		incomplete := slices.Contains([]string{d.Summary, d.Detail}, "")
		if incomplete || unknown || d.Severity == tfprotov6.DiagnosticSeverityInvalid {
			p.T.Errorf("a diagnostic is incomplete, or names what does not exist:\n%s", Diags{List: list})
		}
		if p.showsSecret(d.Summary + d.Detail) {
			p.T.Errorf("a diagnostic shows a key or a token:\n%s", Diags{List: list})
		}
	}
	return Diags{t: p.T, List: list}
}

// namesIn returns all names that a diagnostic may mention.
func namesIn(schema *tfprotov6.GetProviderSchemaResponse) []string {
	names := []string{
		"create_before_destroy", "for_each", "terraform import", "terraform state rm", "terraform untaint",
		// Fields of the service.
		"user_group", "new_user_group",
	}
	for _, argument := range schema.Provider.Block.Attributes {
		names = append(names, argument.Name, "EMBED_"+strings.ToUpper(argument.Name))
	}
	for name, resource := range schema.ResourceSchemas {
		names = append(names, name)
		for _, attribute := range resource.Block.Attributes {
			names = append(names, attribute.Name)
		}
	}
	return names
}

func (d Diags) String() string {
	var all strings.Builder
	for _, each := range d.List {
		fmt.Fprintf(&all, "%s: %s\n  %s\n", each.Severity, each.Summary, each.Detail)
	}
	return all.String()
}

// HasError reports whether one of the diagnostics is an error.
func (d Diags) HasError() bool {
	return slices.ContainsFunc(d.List, func(each *tfprotov6.Diagnostic) bool {
		return each.Severity == isError
	})
}

func (d Diags) and(more Diags) Diags { return Diags{t: more.t, List: slices.Concat(d.List, more.List)} }

// WantNone ends the test if there are diagnostics.
func (d Diags) WantNone() {
	d.t.Helper()
	if len(d.List) > 0 {
		d.t.Fatalf("unexpected diagnostics:\n%s", d)
	}
}

// Silent returns the result of an operation, and ends the test if the operation has diagnostics.
func Silent[Result any](result Result, diags Diags) Result {
	diags.t.Helper()
	diags.WantNone()
	return result
}

// WantError checks that there is exactly one diagnostic, that it is an error with this title, and that its detail
// contains all the texts.
func (d Diags) WantError(title string, says ...string) { d.t.Helper(); d.want(isError, title, says) }

// WantWarning is WantError for a warning.
func (d Diags) WantWarning(title string, says ...string) {
	d.t.Helper()
	d.want(isWarning, title, says)
}

const isError, isWarning = tfprotov6.DiagnosticSeverityError, tfprotov6.DiagnosticSeverityWarning

func (d Diags) want(severity tfprotov6.DiagnosticSeverity, title string, says []string) {
	d.t.Helper()
	if len(d.List) != 1 || d.List[0].Severity != severity || d.List[0].Summary != title {
		d.t.Fatalf("want a single %s %q, got:\n%s", severity, title, d)
	}
	for _, text := range says {
		if !strings.Contains(d.List[0].Detail, text) {
			d.t.Errorf("%q does not say %q:\n%s", title, text, d.List[0].Detail)
		}
	}
}

// WantErrorAt is WantError for an error at an attribute.
func (d Diags) WantErrorAt(attribute, title string, says ...string) {
	d.t.Helper()
	d.WantError(title, says...)
	if at := d.List[0].Attribute.String(); at != fmt.Sprintf("AttributeName(%q)", attribute) {
		d.t.Errorf("the error is at %s, want %s", at, attribute)
	}
}
