package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccTruncatedListDeletesNobody cuts off the list of customers of an example whose limit is one deletion.
func TestAccTruncatedListDeletesNobody(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.PlannedDestroy)
	w.copy(examplesDir + "/customers-from-csv")
	w.apply()
	w.service.ResetCounts()
	list, err := os.ReadFile(filepath.Join(w.dir, "customers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(list), "\n")

	w.write("customers.csv", rows[0]+rows[1])
	for _, command := range [][]string{{"plan"}, {"apply", "-auto-approve"}} {
		out := w.fails("at least 2, and max_deletions is 1", command...)
		if found := strings.Count(out, "Error: "); found != 1 {
			t.Errorf("%s printed %d errors, want 1:\n%s", command, found, out)
		}
	}
	w.write("customers.csv", rows[0])
	w.fails("at least 2, and max_deletions is 1", "destroy", "-auto-approve")
	w.onlyLooked()

	// Removing one customer takes one apply.
	w.write("customers.csv", rows[0]+rows[1]+rows[2])
	w.must("apply", "-auto-approve")
	w.has("acme", "initech")
	w.must("destroy", "-auto-approve", "-var=max_deletions=2")
	w.has()
}
