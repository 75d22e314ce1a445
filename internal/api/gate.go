package api

import (
	"context"
	"sync"
	"time"
)

// gate holds back every call of the process: one 429 speaks for all workers, since they share the key that is
// being limited.
type gate struct {
	mu      sync.Mutex
	opensAt time.Time
}

// closeFor keeps the gate closed for at least the given time from now.
func (g *gate) closeFor(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if opensAt := time.Now().Add(wait); opensAt.After(g.opensAt) {
		g.opensAt = opensAt
	}
}

// pass waits until the gate is open, or the context ends.
func (g *gate) pass(ctx context.Context) error {
	for {
		wait := g.untilOpen()
		if wait <= 0 {
			return ctx.Err()
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (g *gate) isOpen() bool { return g.untilOpen() <= 0 }

func (g *gate) untilOpen() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.opensAt)
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
