package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// protocolDiags is what a person gets to see of one operation.
type protocolDiags struct {
	t    testing.TB
	list []*tfprotov6.Diagnostic
}

// diagnostics takes what a call returned. No diagnostic may show a secret: all tokens of the emulator begin alike.
func (p *protocol) diagnostics(list []*tfprotov6.Diagnostic) protocolDiags {
	p.t.Helper()
	for _, d := range list {
		for _, secret := range append([]string{"ugt_"}, p.keys...) {
			if strings.Contains(d.Summary+d.Detail, secret) {
				p.t.Errorf("a diagnostic shows a key or a token:\n%s", protocolDiags{list: list})
			}
		}
		if d.Summary == "" || d.Detail == "" || d.Severity == tfprotov6.DiagnosticSeverityInvalid {
			p.t.Errorf("a diagnostic is incomplete: %+v", d)
		}
	}
	return protocolDiags{t: p.t, list: list}
}

func (d protocolDiags) String() string {
	var all strings.Builder
	for _, each := range d.list {
		fmt.Fprintf(&all, "%s: %s\n  %s\n", each.Severity, each.Summary, each.Detail)
	}
	return all.String()
}

func (d protocolDiags) hasError() bool {
	for _, each := range d.list {
		if each.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

func (d protocolDiags) and(more protocolDiags) protocolDiags {
	return protocolDiags{t: more.t, list: slices.Concat(d.list, more.list)}
}

func (d protocolDiags) wantNone() {
	d.t.Helper()
	if len(d.list) > 0 {
		d.t.Fatalf("got diagnostics where none were expected:\n%s", d)
	}
}

// wantError demands exactly one diagnostic, an error with the title, whose detail says all of the texts.
func (d protocolDiags) wantError(title string, says ...string) {
	d.t.Helper()
	d.wantOne(tfprotov6.DiagnosticSeverityError, title, says)
}

func (d protocolDiags) wantWarning(title string, says ...string) {
	d.t.Helper()
	d.wantOne(tfprotov6.DiagnosticSeverityWarning, title, says)
}

func (d protocolDiags) wantOne(severity tfprotov6.DiagnosticSeverity, title string, says []string) {
	d.t.Helper()
	if len(d.list) != 1 || d.list[0].Severity != severity || d.list[0].Summary != title {
		d.t.Fatalf("want a single %s %q, got:\n%s", severity, title, d)
	}
	for _, text := range says {
		if !strings.Contains(d.list[0].Detail, text) {
			d.t.Errorf("%q does not say %q:\n%s", title, text, d.list[0].Detail)
		}
	}
}

// wantErrorAt demands exactly one error, at the attribute.
func (d protocolDiags) wantErrorAt(attribute, title string, says ...string) {
	d.t.Helper()
	d.wantError(title, says...)
	if at := d.list[0].Attribute.String(); at != fmt.Sprintf("AttributeName(%q)", attribute) {
		d.t.Errorf("the error is at %s, want %s", at, attribute)
	}
}

// wantTitles demands errors with these titles, in this order, and nothing else.
func (d protocolDiags) wantTitles(titles ...string) {
	d.t.Helper()
	var got []string
	for _, each := range d.list {
		got = append(got, each.Summary)
	}
	if !d.hasError() || !slices.Equal(got, titles) {
		d.t.Fatalf("want the errors %q, got:\n%s", titles, d)
	}
}
