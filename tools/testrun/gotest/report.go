package gotest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An event is one object of the stream that `go test -json` writes (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// A subject is a test, or a package where test is empty.
type subject struct{ pkg, test string }

// Report is what became of the tests of a run.
type Report struct {
	// Passed and Failed count tests, subtests included.
	Passed, Failed int
	Skips          []Skip

	to      io.Writer
	output  map[subject]*strings.Builder
	perPkg  map[string]*counts
	skipped int
}

type counts struct{ passed, failed, skipped int }

// Skip is a skipped test, and why in its own words.
type Skip struct{ Package, Test, Reason string }

// NewReport tells what it learns to a person.
func NewReport(to io.Writer) *Report {
	return &Report{to: to, output: map[subject]*strings.Builder{}, perPkg: map[string]*counts{}}
}

// Read reads the events to their end.
func (r *Report) Read(events io.Reader) error {
	for decoder := json.NewDecoder(events); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the events of go test: %w", err)
		}
		r.take(e)
	}
}

func (r *Report) take(e event) {
	of := subject{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.to, e.Output)
	case "output":
		if r.output[of] == nil {
			r.output[of] = &strings.Builder{}
		}
		r.output[of].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
		} else {
			r.endTest(e.Action, of)
		}
		delete(r.output, of)
	}
}

func (r *Report) endTest(action string, test subject) {
	of := r.of(test.pkg)
	switch action {
	case "pass":
		of.passed++
	case "fail":
		of.failed++
		fmt.Fprintf(r.to, "FAIL  %s %s\n%s", short(test.pkg), test.test, r.said(test))
	case "skip":
		of.skipped++
		r.Skips = append(r.Skips, Skip{short(test.pkg), test.test, reason(r.said(test))})
	}
}

func (r *Report) endPackage(e event) {
	of := r.of(e.Package)
	if e.Action == "fail" {
		// A package that fails without a failed test did not build, or its process died.
		if of.failed == 0 {
			of.failed++
		}
		fmt.Fprint(r.to, r.said(subject{pkg: e.Package}))
		r.tellUnended(e.Package)
	}
	r.Passed += of.passed
	r.Failed += of.failed
	r.skipped += of.skipped
	if *of != (counts{}) {
		word := map[string]string{"pass": "ok  ", "fail": "FAIL"}[e.Action]
		fmt.Fprintf(r.to, "%-4s  %-40s %s  %.1f s\n", word, short(e.Package), of, e.Elapsed)
	}
}

// tellUnended tells what the tests said that did not come to an end: go test takes a panic, a stack of all goroutines after a
// time-out included, for the output of the test that happens to run.
func (r *Report) tellUnended(pkg string) {
	var unended []subject
	for of := range r.output {
		if of.pkg == pkg && of.test != "" {
			unended = append(unended, of)
		}
	}
	slices.SortFunc(unended, func(a, b subject) int { return strings.Compare(a.test, b.test) })
	for _, of := range unended {
		fmt.Fprintf(r.to, "FAIL  %s %s did not end\n%s", short(of.pkg), of.test, r.said(of))
		delete(r.output, of)
	}
}

// Close tells what was skipped and why, and last the counts.
func (r *Report) Close() {
	byReason := map[string][]string{}
	var reasons []string
	for _, s := range r.Skips {
		if byReason[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		byReason[s.Reason] = append(byReason[s.Reason], s.Package+" "+s.Test)
	}
	for _, reason := range reasons {
		fmt.Fprintf(r.to, "\nSkipped, %s:\n", reason)
		for _, test := range byReason[reason] {
			fmt.Fprintf(r.to, "  %s\n", test)
		}
	}
	fmt.Fprintf(r.to, "\n%s\n", &counts{r.Passed, r.Failed, r.skipped})
}

func (r *Report) of(pkg string) *counts {
	if r.perPkg[pkg] == nil {
		r.perPkg[pkg] = &counts{}
	}
	return r.perPkg[pkg]
}

// said returns what a test has written, without the marks that the test runner puts around it.
func (r *Report) said(of subject) string {
	if r.output[of] == nil {
		return ""
	}
	var kept strings.Builder
	for line := range strings.Lines(r.output[of].String()) {
		if !strings.HasPrefix(line, "=== ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// reason takes the words of t.Skip out of a skipped test's output: "    file_test.go:12: words" between the runner's marks.
func reason(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, after, found := strings.Cut(line, ".go:"); found {
			if _, text, found := strings.Cut(after, ": "); found {
				line = text
			}
		}
		words = append(words, line)
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, " ")
}

func (c *counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

func short(pkg string) string {
	return strings.TrimPrefix(pkg, "github.com/dashembed/terraform-provider-embed/")
}
