package main

import "testing"

func TestSharded(t *testing.T) {
	t.Parallel()
	all := customers(1000)
	seen := 0
	for i, part := range sharded(all, 4) {
		seen += len(part)
		if len(part) < 200 || len(part) > 300 {
			t.Errorf("shard %d has %d of 1,000", i, len(part))
		}
		for id := range part {
			if shard(id, 4) != i {
				t.Errorf("%s is not where it belongs", id)
			}
		}
	}
	if seen != len(all) {
		t.Errorf("%d customers in all shards", seen)
	}
}
