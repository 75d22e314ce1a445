package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/tools/testrun/gotest"
)

// A row is what became of the tests on one engine.
type row struct {
	engine                  engine.Engine
	passed, failed, skipped int
	// why counts the expected skips by their reason.
	why        map[string]int
	unexpected []string
	took       time.Duration
}

func newRow(on engine.Engine, report *gotest.Report, isNewest bool) row {
	r := row{
		engine: on, passed: report.Passed, failed: report.Failed, skipped: len(report.Skips),
		why: map[string]int{},
	}
	for _, skip := range report.Skips {
		why, problem := explain(on, isNewest, skip)
		if problem != "" {
			r.unexpected = append(r.unexpected, problem)
			why = "unexpected"
		}
		r.why[why]++
	}
	return r
}

// reasons names the commonest first.
func (r row) reasons() string {
	var all []string
	for why := range r.why {
		all = append(all, why)
	}
	slices.SortFunc(all, func(a, b string) int {
		if r.why[a] != r.why[b] {
			return r.why[b] - r.why[a]
		}
		return strings.Compare(a, b)
	})
	for i, why := range all {
		all[i] = fmt.Sprintf("%d %s", r.why[why], why)
	}
	return strings.Join(all, ", ")
}

type table []row

// String is Markdown that also reads well on a screen.
func (t table) String() string {
	cells := [][]string{{"Engine", "Passed", "Failed", "Skipped", "Time", "Why skipped: needs what, and from which version of the engine on"}}
	for _, r := range t {
		cells = append(cells, []string{
			r.engine.Name + " " + r.engine.Version, fmt.Sprint(r.passed), fmt.Sprint(r.failed), fmt.Sprint(r.skipped),
			fmt.Sprintf("%.0f s", r.took.Seconds()), r.reasons(),
		})
	}
	widths := make([]int, len(cells[0])-1)
	for _, line := range cells {
		for i := range widths {
			widths[i] = max(widths[i], len(line[i]))
		}
	}
	var text strings.Builder
	for number, line := range cells {
		for i, width := range widths {
			fmt.Fprintf(&text, "| %-*s ", width, line[i])
		}
		fmt.Fprintf(&text, "| %s |\n", line[len(widths)])
		if number == 0 {
			for _, width := range widths {
				fmt.Fprintf(&text, "|%s", strings.Repeat("-", width+2))
			}
			text.WriteString("|---|\n")
		}
	}
	return text.String()
}
