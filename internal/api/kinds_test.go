package api

import (
	"os"
	"regexp"
	"testing"
)

// TestEveryKindHasARow checks that every kind has a row in the table, and that no row contradicts itself.
func TestEveryKindHasARow(t *testing.T) {
	t.Parallel()
	source, _ := os.ReadFile("kinds.go")
	constants := regexp.MustCompile(`(?m)^\t(\w+) +Kind = "(\w*)"`).FindAllStringSubmatch(string(source), -1)
	for _, constant := range constants {
		name, value := constant[1], Kind(constant[2])
		isNamed := string(value) == name && kinds[value].advice != ""
		failIf(t, isNamed == (value == none), "kind %s has no row, no advice or another name", name)
	}
	failIf(t, len(constants) != len(kinds)+1, "%d constants, and %d rows", len(constants), len(kinds))
	for kind, row := range kinds {
		failIf(t, row.decides && row.done == No && !row.mayBeToken,
			"kind %s is a refusal by the service, and the contract does not say how it refuses an old token", kind)
		failIf(t, row.decides && row.limits, "kind %s says nothing about the group, so the service has not decided", kind)
		failIf(t, row.doneByGet > row.done, "kind %s: a lookup does no more than another call", kind)
	}
	for status, kind := range statuses {
		failIf(t, kinds[kind].advice == "" || status/100 == 2, "status %d is no failure, or %s has no row", status, kind)
	}
}
