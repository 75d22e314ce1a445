package api

import "testing"

// TestEveryKindHasARow checks that every kind has a row in the table, and that no row contradicts itself.
func TestEveryKindHasARow(t *testing.T) {
	t.Parallel()
	for kind := Cut; kind < afterLast; kind++ {
		row, isThere := kinds[kind]
		failIf(t, !isThere, "kind %d has no row", kind)
		failIf(t, row.decides && row.done == No && !row.mayBeToken,
			"kind %d is a refusal by the service, and the contract does not say how it refuses an old token", kind)
		failIf(t, row.decides && row.limits, "kind %d says nothing about the group, so the service has not decided", kind)
		failIf(t, row.doneByGet > row.done, "kind %d: a lookup does no more than another call", kind)
	}
	failIf(t, len(Kinds()) != int(afterLast-Cut),
		"the table has %d rows, and there are %d kinds", len(Kinds()), int(afterLast-Cut))
	for status, kind := range statuses {
		failIf(t, kind == none || status/100 == 2, "status %d is no failure", status)
	}
}
