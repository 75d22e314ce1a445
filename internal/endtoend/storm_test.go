package endtoend

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// stormKinds are the faults that pass, so that trying again helps. A redirect is none of them, and neither is a refusal.
var stormKinds = []emulator.FaultKind{
	emulator.CutAfterWork, emulator.CutBefore, emulator.CutInDocument, emulator.HalfDocument, emulator.Error500AfterWork,
	emulator.Unavailable503, emulator.TooMany429, emulator.HTML200, emulator.NoToken, emulator.Delay,
	emulator.DelayBefore,
}

// mostRuns is how many runs of an engine a phase of the storm may take: one that the refusals end, one that goes on, and one
// more for what nobody can know, such as whether a deleted group was there when a lookup got lost.
const mostRuns = 5

func TestAccStorm(t *testing.T) {
	acceptance(t)
	storm(t, 40)
}

func TestLongStorm(t *testing.T) {
	long(t)
	storm(t, 300)
}

// storm applies, changes, rotates and destroys while one call in ten goes wrong at random.
func storm(t *testing.T, n int) {
	t.Helper()
	seed := stormSeed(t)
	t.Logf("%s=%d repeats this storm", seedVariable, seed)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, nil)
	wanted := manyGroups(n)
	w.wants(wanted)
	struck := 0
	phase := func(number int64, refused string, args ...string) {
		t.Helper()
		// Every phase has faults of its own. A refusal is an answer, so it is not repeated and makes another run necessary.
		service.BeforeCall(strikes(service, seed+number))
		for i := range n {
			if i%20 == 0 {
				service.Fail(emulator.Fault{Method: refused, ID: stormGroup(i), Nth: 1, Kind: emulator.Refuse})
			}
		}
		struck += w.weathers(wanted, args...)
		service.BeforeCall(nil)
		service.ClearFaults()
	}

	// One creation is done, not heard of, and then refused.
	service.Fail(emulator.Fault{Method: get, ID: stormGroup(20), Nth: 1, Kind: emulator.CutAfterWork})
	phase(0, get, "apply", "-auto-approve", "-parallelism=10")
	w.agrees()
	for id := range wanted {
		if made, removed, rotations := service.Creations(id), service.Deletions(id), service.Rotations(id); made != 1 || removed+rotations > 0 {
			t.Errorf("%s: after the first phase, %d creations, %d deletions, %d rotations", id, made, removed, rotations)
		}
	}

	wanted = wanted.changed(func(id string, one *group) { one.Name, one.Issue = "New "+id, "2" })
	w.wants(wanted)
	phase(1, post, "apply", "-auto-approve", "-parallelism=10")
	w.agrees()
	for id := range wanted {
		if made, removed, rotations := service.Creations(id), service.Deletions(id), service.Rotations(id); made != 1 || removed > 0 || rotations != 1 {
			t.Errorf("%s: after the rotation, %d creations, %d deletions, %d rotations", id, made, removed, rotations)
		}
	}

	phase(2, remove, "destroy", "-auto-approve", "-parallelism=10")
	if len(w.agrees()) > 0 {
		t.Error("the state still has groups")
	}
	for id := range wanted {
		// Whoever looks whether a group is gone makes a shell, and removes it.
		if made, removed := service.Creations(id), service.Deletions(id); made != removed {
			t.Errorf("%s: %d creations and %d deletions", id, made, removed)
		}
		if rotations := service.Rotations(id); rotations != 1 {
			t.Errorf("%s: %d rotations", id, rotations)
		}
	}
	if struck < n/10 {
		t.Errorf("only %d calls were struck: this was no storm", struck)
	}
}

// strikes is a hook that has one call in ten go wrong, twice in a row at most, so that who tries often enough gets
// through. Each method draws for each group from a generator of its own: a seed means the same strikes in whatever order
// calls come.
func strikes(service *emulator.Emulator, seed int64) func(emulator.Call) {
	type lane struct {
		generator *rand.Rand
		streak    int
	}
	var mutex sync.Mutex
	lanes := map[string]*lane{}
	return func(call emulator.Call) {
		mutex.Lock()
		defer mutex.Unlock()
		name := call.Method + " " + call.ID
		if lanes[name] == nil {
			hash := fnv.New64a()
			_, _ = hash.Write([]byte(name))
			lanes[name] = &lane{generator: rand.New(rand.NewPCG(uint64(seed), hash.Sum64()))}
		}
		draw := lanes[name]
		hit, kind := draw.generator.IntN(10) == 0, stormKinds[draw.generator.IntN(len(stormKinds))]
		if !hit || draw.streak == 2 {
			draw.streak = 0
			return
		}
		draw.streak++
		service.Fail(emulator.Fault{Method: call.Method, ID: call.ID, Nth: 1, Kind: kind, Delay: 100 * time.Millisecond})
	}
}

func stormSeed(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return time.Now().UnixNano()
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed
}

func manyGroups(n int) groups {
	many := groups{}
	for i := range n {
		many[stormGroup(i)] = group{
			Name:       fmt.Sprintf("Group %d", i),
			Issue:      "1",
			Mapping:    map[string]string{"sales": "sales_" + strconv.Itoa(i)},
			Properties: map[string]any{"seats": i},
		}
	}
	return many
}

func stormGroup(i int) string { return fmt.Sprintf("g%03d", i) }

var stormID = regexp.MustCompile(`"(g\d{3})"`)

// weathers runs the command until it succeeds, and returns how many calls were struck. A run may fail for a group only when
// a call about that group was struck: in a way that is not repeated, or so that nobody can know what came of it.
func (w *workspace) weathers(wanted groups, args ...string) (strikes int) {
	t := w.t
	t.Helper()
	undecided := map[string]bool{}
	for range mostRuns {
		earlier := len(w.service.Calls())
		run := w.run(args...)
		struck := map[string]int{}
		for _, call := range w.service.Calls()[earlier:] {
			if call.Fault != "" {
				struck[call.ID]++
				strikes++
			}
		}
		if run.code == 0 {
			return strikes
		}
		run.failed(t)
		var failing []string
		for _, said := range run.problems {
			if said.Severity != "error" {
				continue
			}
			failing = append(failing, said.Summary)
			id := stormID.FindStringSubmatch(said.Summary)
			switch {
			case id == nil:
				t.Errorf("an error names no group: %+v", said)
			case strings.HasSuffix(said.Summary, "already exists"):
				if !undecided[id[1]] {
					t.Errorf("a group exists, and nothing was said before of a creation that may have happened: %+v", said)
				}
				// The message's way out.
				one := wanted[id[1]]
				one.Adopt = true
				wanted[id[1]] = one
			case struck[id[1]] == 0:
				t.Errorf("no call about the group was struck: %+v", said)
			case strings.Contains(said.Detail, "not known whether the group was created"), strings.Contains(said.Detail, "It is left at the service"):
				undecided[id[1]] = true
			}
		}
		t.Logf("%s has to be run again: %s", args[0], strings.Join(failing, ", "))
		w.wants(wanted)
	}
	t.Fatalf("%s has not succeeded in %d runs", args, mostRuns)
	return strikes
}
