package emulator

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryHabitHasAReason reads DESIGN.md and the answers of the probe. A habit that is an example of nothing there,
// and a flag that is neither a habit nor a setting, have no reason.
func TestEveryHabitHasAReason(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	design, answers := read("../../DESIGN.md"), []string{}
	for question := range strings.SplitSeq(read("../probe/questions.go"), "\n\t{\"") {
		id, _, _ := strings.Cut(question, `"`)
		for _, answer := range regexp.MustCompile(`\n\t\t"([a-z, -]+)": `).FindAllStringSubmatch(question, -1) {
			answers = append(answers, id+"="+answer[1])
		}
	}
	flags := []string{"addr", "environment", "latency"} // the settings
	for _, h := range new(Options).habits() {
		flags = append(flags, h.flag)
		reasons := 1
		if values, is := h.option.(chosen); is {
			reasons = len(values.names) - 1
		}
		of := strings.Split(h.of, " | ")
		if len(of) != reasons {
			t.Errorf("%s has %d reasons, want %d", h.flag, len(of), reasons)
		}
		for _, reason := range of {
			if (reason == "" || !strings.Contains(design, reason)) && !slices.Contains(answers, reason) {
				t.Errorf("%s is an example of %q, of which neither DESIGN.md nor the probe says anything", h.flag, reason)
			}
		}
	}
	var help bytes.Buffer
	_, _ = parse([]string{"-h"}, &help)
	for _, flag := range regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(help.String(), -1) {
		if !slices.Contains(flags, flag[1]) {
			t.Errorf("%s is neither a habit nor a setting", flag[1])
		}
	}
}
