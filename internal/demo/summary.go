package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

var meanings = map[string]string{
	get:     "get, or create what is absent",
	put:     "update",
	post:    "rotate the token",
	deletes: "delete",
}

// summary is a table of all calls and what they did.
func summary(all []emulator.Call) []string {
	asked := calls{}
	var created, updated, rotated, deleted int
	for _, call := range all {
		asked[call.Method]++
		for count, did := range map[*int]bool{
			&created: call.Created, &updated: call.Updated, &rotated: call.Rotated, &deleted: call.Deleted,
		} {
			if did {
				*count++
			}
		}
	}
	did := map[string]string{
		get:     plural(created, "group created", "groups created"),
		put:     plural(updated, "group updated", "groups updated"),
		post:    plural(rotated, "token rotated", "tokens rotated"),
		deletes: plural(deleted, "group deleted", "groups deleted"),
	}
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	for _, method := range methods {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%4d calls\t%s\n", method, meanings[method], asked[method], did[method])
	}
	_, _ = fmt.Fprintf(table, "\t\t%4d calls\n", len(all))
	_ = table.Flush()
	return lines(text.String())
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
