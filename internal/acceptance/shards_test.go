package acceptance

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccSplittingTheStateMakesOnlyLookups checks that splitting the customers of one root module over two, as the
// guide describes, makes only lookups.
func TestAccSplittingTheStateMakesOnlyLookups(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.ForEachImport, engine.Removed)
	shards := filepath.Join(examplesDir, "customers-in-shards")
	root := w.dir
	at := func(shard string) {
		w.dir = filepath.Join(root, shard)
		if err := os.MkdirAll(w.dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, shard := range []string{"0", "1"} {
		at(shard)
		w.copy(filepath.Join(shards, "main.tf"))
		w.copy(filepath.Join(shards, "outputs.tf"))
		w.copy(filepath.Join(shards, "customers.yaml"))
	}
	at("0")
	w.apply("-var=shards=1", "-var=shard=0")
	before := w.service.Groups()
	if len(before) != 5 {
		t.Fatalf("there are %d groups, want 5", len(before))
	}
	w.service.ResetCounts()

	at("1")
	w.copy(filepath.Join(shards, "split", "arriving.tf"))
	w.says("2 to import, 0 to add, 2 to change, 0 to destroy", "plan", "-var=shards=2", "-var=shard=1")
	w.apply("-var=shards=2", "-var=shard=1")

	at("0")
	w.copy(filepath.Join(shards, "split", "leaving.tf"))
	w.says("0 to add, 0 to change, 0 to destroy", "plan", "-var=shards=2", "-var=shard=0")
	w.apply("-var=shards=2", "-var=shard=0")
	if err := os.Remove(filepath.Join(w.dir, "leaving.tf")); err != nil {
		t.Fatal(err)
	}
	for _, shard := range []string{"1", "0"} {
		at(shard)
		w.plansNothing("-var=shards=2", "-var=shard="+shard)
	}

	w.onlyLooked()
	if !reflect.DeepEqual(before, w.service.Groups()) {
		t.Error("a group was changed")
	}
}
