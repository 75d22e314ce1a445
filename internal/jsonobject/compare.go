package jsonobject

// Equal reports whether a and b are the same JSON value: the order of keys, white space, escapes, and the spelling of
// numbers (1, 1.0, 1e0; 0, -0) do not matter, everything else does. Numbers are compared exactly, however long they
// are. The zero Object equals only itself.
func Equal(a, b Object) bool { return a.canonical == b.canonical }

// Contradictions tells how seen, the object that came back, departs from sent, the one that was asked for, by top-level
// key: keys that only seen has (remained), keys whose values differ (differ), and keys that only sent has (missing).
// Each slice is sorted, and nil if there is no such key. All are nil exactly if the members are Equal; the zero Object
// counts as one without members.
func Contradictions(sent, seen Object) (remained, differ, missing []string) {
	i, j := 0, 0
	for i < len(sent.members) || j < len(seen.members) {
		switch {
		case j == len(seen.members):
			missing = append(missing, sent.members[i].key)
			i++
		case i == len(sent.members):
			remained = append(remained, seen.members[j].key)
			j++
		case sent.members[i].key < seen.members[j].key:
			missing = append(missing, sent.members[i].key)
			i++
		case sent.members[i].key > seen.members[j].key:
			remained = append(remained, seen.members[j].key)
			j++
		default:
			if sent.value(sent.members[i]) != seen.value(seen.members[j]) {
				differ = append(differ, sent.members[i].key)
			}
			i++
			j++
		}
	}
	return remained, differ, missing
}
