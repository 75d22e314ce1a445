package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Row is the answer to a question. Asked and Found are printed in place of the IDs in Question and Answer.
type Row struct {
	Question, Answer string
	Part             Part
	Asked, Found     string
	// Means is what follows, and Guide is where to read on. Both are empty if nothing follows.
	Means, Guide string
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

// found records the answer to a question. The first thing observed is what was found. The last one is for what follows.
func (p *probe) found(id, answer string, observed ...string) {
	if p.failure != nil {
		return
	}
	for _, q := range questions {
		if a, known := q.answers[answer]; q.id == id && known {
			found := strings.Replace(a.found, "%s", observed[0], 1)
			means := strings.Replace(a.means, "%s", observed[len(observed)-1], 1)
			p.rows[id] = Row{id, answer, a.part, q.asks, found, means, a.page}
			return
		}
	}
	panic("no such answer: " + id + "=" + answer)
}

// sentence is why a probe ends if no call has failed.
type sentence string

func (s sentence) Error() string { return string(s) }

// stop records an answer that ends the probe.
func (p *probe) stop(id, answer, observed string) {
	p.found(id, answer, observed)
	if p.failure == nil {
		p.failure = sentence(p.rows[id].Asked + " " + p.rows[id].Found)
	}
}

// behindCache ends the probe because something else responds in place of the service.
func (p *probe) behindCache() {
	p.trusted = false
	p.stop("between", "cached", "")
}

// report returns what was found, and what can be said however far the probe has come.
func (p *probe) report() Report {
	failure := p.failure
	p.failure = nil
	if p.attempts > 0 {
		p.findsPace()
	}
	report := Report{Calls: p.attempts}
	for _, q := range questions {
		if row, asked := p.rows[q.id]; asked {
			report.Rows = append(report.Rows, row)
		}
	}
	for _, g := range p.made() {
		report.Left = append(report.Left, g.id)
	}
	var call *api.Error
	switch {
	case errors.As(failure, &call):
		report.Problem = call.Error() + "."
		if advice := call.Advice(); advice != "" && !errors.Is(call, context.Canceled) {
			report.Problem += " " + advice
		}
	case failure != nil:
		report.Problem = failure.Error() + "."
	}
	return report
}

// findsPace says whether calls were refused for their number. It advises the usual rate, or half of what is set.
func (p *probe) findsPace() {
	rate, set := usualRate, p.options.Client.RequestsPerSecond
	if set > 0 && set <= rate {
		rate = set / 2
	}
	p.found("pace", pick(p.bursts > 0, "in-front", pick(p.throttled > 0, "some", "none")),
		fmt.Sprintf("%d of %d", p.throttled, p.attempts), fmt.Sprintf("requests_per_second = %v", rate))
}

// usualRate is how many calls a second most firewalls accept.
const usualRate = 5.0

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
	if r.count(Unusable)+r.count(Line)+r.count(Manage) > 0 {
		return ExitUnsafe
	}
	return ExitSafe
}

func (r Report) count(part Part) (n int) {
	for _, row := range r.Rows {
		if row.Part == part {
			n++
		}
	}
	return n
}

// Text writes the report: what to do first, what to expect, and with all also what asks for nothing.
func (r Report) Text(w io.Writer, all bool) error {
	var text strings.Builder
	for _, part := range parts {
		if r.count(part) > 0 && (part != OK || all) {
			fmt.Fprintf(&text, "%s\n\n", part)
			r.write(&text, part)
		}
	}
	first := r.count(Unusable) + r.count(Line) + r.count(Manage)
	if first+r.count(Expect) == 0 && r.Problem == "" {
		fmt.Fprint(&text, "Every answer is as the provider needs it.\n\n")
	}
	fmt.Fprintf(&text, "Questions: %d. To do first: %d. To expect: %d. Calls: %d.\n",
		len(r.Rows), first, r.count(Expect), r.Calls)
	if !all {
		fmt.Fprintln(&text, "With -all, the probe also prints the answers that ask for nothing.")
	}
	if r.Problem != "" {
		fmt.Fprintf(&text, "The probe ended early. %s\n", r.Problem)
	}
	if len(r.Left) > 0 {
		fmt.Fprintf(&text, "\nThe probe may have left groups at the service: %s.\n", strings.Join(r.Left, ", "))
		fmt.Fprintln(&text, "Remove them with a key that can delete groups. See the guide Troubleshooting, heading\n"+
			"\"Remove an empty group\".")
	} else {
		fmt.Fprintln(&text, "The service has accepted the deletion of each group that the probe has created.")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// write writes the answers of a part.
func (r Report) write(text *strings.Builder, part Part) {
	for _, row := range r.Rows {
		if row.Part != part {
			continue
		}
		text.WriteString(indented(2, row.Asked+" "+row.Found+"."))
		for paragraph := range strings.Lines(row.Means) {
			text.WriteString(indented(6, paragraph))
		}
		if row.Guide != "" {
			text.WriteString(indented(6, "guide "+strings.Replace(row.Guide, ": ", ", heading ", 1)) + "\n")
		}
	}
	text.WriteString(pick(part == OK, "\n", ""))
}

// indented breaks a text into indented lines of at most 80 columns.
func indented(by int, text string) (lines string) {
	column := 80
	for word := range strings.FieldsSeq(text) {
		if column += 1 + len(word); column > 80 {
			lines, column = lines+"\n"+strings.Repeat(" ", by-1), by+len(word)
		}
		lines += " " + word
	}
	return lines[1:] + "\n"
}
