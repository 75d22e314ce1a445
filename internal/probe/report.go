package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// docs is where the pages are.
const docs = "https://github.com/dashembed/terraform-provider-embed/blob/main/docs/"

// Row is the answer to a question. Asked and Found are printed in place of the IDs in Question and Finding.
type Row struct {
	Question, Finding string
	Severity          Severity
	Asked, Found      string
	Means, ReadOn     string
}

// Report is what a probe has found.
type Report struct {
	Calls int
	Rows  []Row
	// Left are the IDs of groups that may still be at the service.
	Left []string
	// Problem is why the probe ended early. It is empty if the probe ran to the end.
	Problem string
}

// found records the answer to a question.
func (p *probe) found(id, answer, observed string) {
	if p.failure != nil {
		return
	}
	for _, q := range questions {
		if f, known := q.findings[answer]; q.id == id && known {
			found := strings.Replace(f.found, "%s", observed, 1)
			row := Row{id, answer, f.severity, q.asks, found, f.means, ""}
			if f.page != "" {
				row.ReadOn = docs + f.page
			}
			p.rows[id] = row
			return
		}
	}
	panic("no such finding: " + id + "=" + answer)
}

// stop records an answer that ends the probe.
func (p *probe) stop(id, answer, observed string) {
	p.found(id, answer, observed)
	if p.failure == nil {
		p.failure = errors.New(p.rows[id].Asked + " " + p.rows[id].Found + ".")
	}
}

// behindCache ends the probe because something else responds in place of the service.
func (p *probe) behindCache() {
	p.uncached = false
	p.stop("between", "cached", "")
}

// report returns what was found, and what can be said however far the probe has come.
func (p *probe) report() Report {
	failure := p.failure
	p.failure = nil
	if said, passedOn := p.between(); passedOn {
		p.found("connection", "passed", said)
	} else if said != "" {
		p.found("connection", "direct", said)
	}
	if p.throttled > 0 {
		p.found("pace", "some", fmt.Sprintf("%d of %d", p.throttled, p.attempts))
	} else if p.proto != "" {
		p.found("pace", "none", "")
	}
	report := Report{Calls: p.attempts}
	for _, q := range questions {
		if row, asked := p.rows[q.id]; asked {
			report.Rows = append(report.Rows, row)
		}
	}
	for _, g := range p.groups {
		if g.made {
			report.Left = append(report.Left, g.id)
		}
	}
	var call *api.Error
	switch {
	case errors.As(failure, &call):
		report.Problem = call.Error() + "."
		if advice := p.options.Advice(call); advice != "" && !errors.Is(call, context.Canceled) {
			report.Problem += " " + advice
		}
	case failure != nil:
		report.Problem = failure.Error()
	}
	return report
}

// The exit codes of the command.
const (
	ExitSafe       = 0
	ExitUnfinished = 1
	ExitUsage      = 2
	ExitUnsafe     = 3
)

// ExitCode returns the exit code of the command.
func (r Report) ExitCode() int {
	if r.Problem != "" || len(r.Left) > 0 {
		return ExitUnfinished
	}
	if r.count(Bad) > 0 {
		return ExitUnsafe
	}
	return ExitSafe
}

func (r Report) count(severity Severity) (n int) {
	for _, row := range r.Rows {
		if row.Severity == severity {
			n++
		}
	}
	return n
}

// Text writes the report as a table, and then what follows from each row that is not OK.
func (r Report) Text(w io.Writer) error {
	var text strings.Builder
	for _, row := range r.Rows {
		fmt.Fprintf(&text, "%-5s  %-33s %s\n", mark(row.Severity), row.Asked, row.Found)
	}
	for _, severity := range []Severity{Bad, Note} {
		for _, row := range r.Rows {
			if row.Severity == severity && row.Means != "" {
				fmt.Fprintf(&text, "\n%-5s  %s %s\n", mark(severity), row.Asked, row.Found)
				fmt.Fprintln(&text, indented(row.Means))
				if row.ReadOn != "" {
					fmt.Fprintln(&text, indented(row.ReadOn))
				}
			}
		}
	}
	fmt.Fprintf(&text, "\nErrors: %d. Notes: %d. Calls: %d.\n", r.count(Bad), r.count(Note), r.Calls)
	if r.Problem != "" {
		fmt.Fprintf(&text, "The probe ended early. %s\n", r.Problem)
	}
	if len(r.Left) > 0 {
		fmt.Fprintln(&text, "\nThe probe may have left groups at the service. To remove them, set EMBED_API_KEY to\na "+
			"key that can delete groups, and run:")
		for _, id := range r.Left {
			fmt.Fprintln(&text, removalCommand(id))
		}
	} else {
		fmt.Fprintln(&text, "The probe has left no groups behind.")
	}
	_, err := io.WriteString(w, strings.TrimPrefix(text.String(), "\n"))
	return err
}

func mark(severity Severity) string {
	if severity == Bad {
		return "ERROR"
	}
	return string(severity)
}

// indented breaks a text into lines of at most 80 columns.
func indented(text string) string {
	const margin = "       "
	var lines strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0 || column+1+len(word) > 80:
			lines.WriteString(strings.Repeat("\n", min(i, 1)) + margin)
			column = len(margin)
		default:
			lines.WriteString(" ")
			column++
		}
		lines.WriteString(word)
		column += len(word)
	}
	return lines.String()
}

// removalCommand returns a shell command that deletes a group. An ID of a probe needs no escapes.
func removalCommand(id string) string {
	return `  curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" ` +
		`-H 'Content-Type: application/json' -d '{"user_group_id":"` + id + `"}'`
}
