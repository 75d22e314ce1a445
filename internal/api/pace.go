package api

import (
	"context"
	"math"
	"sync"
	"time"
)

// pace lets the calls of a process go as fast as the service allows, without knowing the limit. Until a rate limit
// refuses a call, only the first calls are held back. From then on, calls are evenly spaced. A refusal lowers the rate
// at once, and calls that are let through raise it slowly. While no call is let through, calls become rare.
type pace struct {
	ceiling float64
	random  func() float64 // returns numbers in [0, 1)
	next    chan struct{}  // held by the next call while it waits for its time, so that all others queue
	wake    chan struct{}  // wakes that call if its time may have changed

	mu        sync.Mutex
	rate      float64 // infinite until the first refusal
	refusedAt float64 // rate at the last refusal that lowered it; 0 before the second one
	backoff   time.Duration
	through   bool // a call that was sent after the last slowdown has been let through
	// lowered is the number of the last call before the last slowdown. Its outcome says nothing about the rate since.
	lowered  int
	sent     int
	passes   int
	ends     int       // how many calls have ended without saying anything about the pace
	first    time.Time // when the first call was sent
	last     time.Time // when the last call was sent
	opens    time.Time // no call is sent earlier
	passedAt time.Time
}

// turn is the permission to send one call.
type turn struct {
	number int
	held   bool // the call had to wait for its time, so the pace is what limits the process
}

// The values come from simulations of limits of 2/s to 200/s, with and without bursts and Retry-After.
const (
	// One call starts, and each call that is let through makes room for itself and half of another, so that 1, 2, 3, 4,
	// 6 and 9 calls are under way. Without this start, ten calls would meet a limit together.
	admitted = 1.5
	// The start ends after this time in any case, since a call without a response makes no room.
	longestStart = 3 * time.Second

	// The lowest rate after the first refusal, for when hardly any call was let through.
	slowestStart = 2.0
	// Each later refusal multiplies rate by this.
	decrease = 0.8
	// Each second, rate grows by this fraction of itself and of 3/s. The latter makes the rates of several processes
	// converge.
	increase, increaseOf = 0.01, 3
	// Each second, the excess of rate over the last refused one grows by this fraction of itself, because the limit must
	// have been raised. Before a second refusal, all of rate is excess, because the first one does not show the limit.
	acceleration = 0.7

	// The longest gap between calls that refusals lead to. A service that is down gets a call this often. If other
	// processes use up the limit, a process still calls often enough to get a share.
	longestGap = time.Second
)

// newPace returns the pace of a process that may make ceiling calls per second at most (infinite for no limit).
func newPace(ceiling float64, random func() float64) *pace {
	return &pace{
		ceiling: ceiling, random: random, next: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		rate: math.Inf(1),
	}
}

// await blocks until the next call may be sent. If the context ends first, it returns its error and counts no call.
// An urgent call does not queue, and does not wait for the end of a Retry-After.
func (p *pace) await(ctx context.Context, urgent bool) (turn, error) {
	next, wake := p.next, p.wake
	if urgent {
		next, wake = make(chan struct{}, 1), nil
	}
	select {
	case next <- struct{}{}:
		defer func() { <-next }()
	case <-ctx.Done():
	}
	for held := false; ctx.Err() == nil; {
		number, wait := p.take(urgent)
		if wait <= 0 {
			return turn{number, held}, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			held = true
		case <-wake:
			held = false
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return turn{}, ctx.Err()
}

// take counts the next call as sent and returns its number. If it is too early, it returns how long to wait instead.
func (p *pace) take(urgent bool) (number int, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.sent == 0 {
		p.first = now
	}
	moment := p.last.Add(p.gap())
	if !urgent {
		moment = later(moment, p.opens)
	}
	if !urgent && math.IsInf(p.rate, 1) && float64(p.sent-p.ends) >= 1+admitted*float64(p.passes) {
		moment = later(moment, p.first.Add(longestStart))
	}
	if wait := moment.Sub(now); wait > 0 {
		return 0, wait
	}
	p.sent++
	p.last = now
	return p.sent, 0
}

func (p *pace) gap() time.Duration {
	return max(p.backoff, time.Duration(float64(time.Second)/min(p.rate, p.ceiling)))
}

// passed records that the service has let a call through, whatever its response.
func (p *pace) passed(t turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	grown := max(0, now.Sub(later(p.passedAt, p.opens)))
	p.passedAt = now
	p.passes++
	if t.number > p.lowered && !math.IsInf(p.rate, 1) {
		p.through, p.backoff = true, 0
		if t.held { // Otherwise, rate is untested, and a higher one would be of no use.
			gain := increase*(increaseOf+p.rate) + acceleration*max(0, p.rate-p.refusedAt)
			p.rate = min(p.rate+gain*grown.Seconds(), p.ceiling)
		}
	}
	p.wakeNext()
}

// ended records a call whose end says nothing about the pace.
func (p *pace) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends++
	p.wakeNext()
}

// refused records that a rate limit has refused a call. retryAfter is the wait that the service asked for, or 0.
func (p *pace) refused(t turn, retryAfter time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if t.number > p.lowered { // Calls under way together are refused together. Only the first refusal counts.
		retryAfter += p.slowDown(now)
	}
	p.opens = later(p.opens, now.Add(retryAfter))
	p.wakeNext()
}

// slowDown adapts the pace to a refusal and returns how long all calls wait. The time is random, because processes
// that were refused together must not come back together.
func (p *pace) slowDown(now time.Time) time.Duration {
	switch {
	case math.IsInf(p.rate, 1):
		p.rate = max(slowestStart, float64(p.passes)/max(1, now.Sub(p.first).Seconds()))
	case !p.through:
		// No call has been let through since the last slowdown. The rate may still be right, so only the gap grows.
		p.backoff = min(2*p.gap(), longestGap)
	default:
		p.refusedAt = p.rate
		p.rate = max(p.rate*decrease, 1/longestGap.Seconds())
	}
	p.through = false
	p.lowered = p.sent
	return time.Duration((0.25 + p.random()) * float64(p.gap()))
}

// letThrough returns when the service last let a call through, or the zero time if it never has.
func (p *pace) letThrough() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passedAt
}

func (p *pace) wakeNext() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
