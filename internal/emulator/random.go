package emulator

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	longestStreak = 2
	randomDelay   = 100 * time.Millisecond
)

// FailRandomly strikes one call in oneIn on average, with one of the kinds, until
// ClearFaults or until it is told otherwise: no kinds or a oneIn below 1 ends it.
// After two strikes in a row on the same method and id it spares the next one, so
// that a caller who tries often enough gets through. Every method and id draws
// from its own generator, so a seed means the same strikes whatever the order in
// which concurrent callers arrive. Delays drawn so are a tenth of a second.
func (e *Emulator) FailRandomly(seed int64, oneIn int, kinds ...FaultKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults.random = nil
	if oneIn >= 1 && len(kinds) > 0 {
		e.faults.random = &randomFaults{
			seed:  seed,
			oneIn: oneIn,
			kinds: slices.Clone(kinds),
			lanes: map[lane]*laneDraws{},
		}
	}
}

type lane struct{ method, id string }

type laneDraws struct {
	generator *rand.Rand
	streak    int
}

type randomFaults struct {
	seed  int64
	oneIn int
	kinds []FaultKind
	lanes map[lane]*laneDraws
}

func (r *randomFaults) draw(method, id string) (Fault, bool) {
	draws := r.lanes[lane{method, id}]
	if draws == nil {
		draws = &laneDraws{generator: r.newGenerator(method, id)}
		r.lanes[lane{method, id}] = draws
	}
	hit := draws.generator.IntN(r.oneIn) == 0
	kind := r.kinds[draws.generator.IntN(len(r.kinds))]
	if !hit || draws.streak == longestStreak {
		draws.streak = 0
		return Fault{}, false
	}
	draws.streak++
	return Fault{Kind: kind, Delay: randomDelay}, true
}

func (r *randomFaults) newGenerator(method, id string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(method + " " + id))
	return rand.New(rand.NewPCG(uint64(r.seed), hash.Sum64())) //nolint:gosec // reproducible on purpose
}
