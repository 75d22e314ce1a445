package api

import (
	"context"
	"math"
	"sync"
	"time"
)

// pace lets the calls of a process go as fast as the service allows, which nobody has told it. Until the service
// refuses a call for its pace, only the first calls are held back. From then on calls are evenly spaced: a refusal
// lowers the rate at once, calls let through raise it slowly, and while none is let through they become rare.
type pace struct {
	ceiling float64
	random  func() float64 // from [0, 1)
	next    chan struct{}  // held by the call that is next, so that one call waits for its moment, and the others for it
	wake    chan struct{}  // wakes that call when its moment may be another

	mu        sync.Mutex
	rate      float64 // infinite until the first refusal
	searching bool    // rate is so far only known to be too low
	tried     int     // how many calls rate has let through in the search
	refusedAt float64 // the rate at which a call was refused last
	backoff   time.Duration
	through   bool // a call has been let through since a refusal lowered the rate
	changed   int  // the number of the last call that was sent before the rate changed, and being let through says nothing
	lowered   int  // the number of the last call that was sent before the rate was lowered, and being refused says nothing
	sent      int
	passes    int
	silent    int       // how many calls have ended without an answer
	first     time.Time // when the first call was sent
	last      time.Time // when the last call was sent
	opens     time.Time // no call is sent earlier
	passedAt  time.Time
}

// turn is the leave to send one call.
type turn struct {
	number int
	held   bool // the call had to wait for its moment: the pace, not the work, is what limits the process
}

// Each value was compared with its neighbors in the simulation that pace_test.go holds a part of.
const (
	// One call starts, and each that is let through makes room for itself and half of another: 1, 2, 3, 4, 6, 9 under
	// way. Without this start ten calls meet a limit together. With 2, 1,000 calls without a limit take 3 % longer, not
	// 4 %, and a quarter more of 20 calls are refused; with 1.25 it is 6 %, and a tenth fewer.
	admitted = 1.5
	// An answer that never comes admits nobody, so the start ends by itself.
	longestStart = 3 * time.Second

	// The rate to begin with when hardly a call was let through. From 1/s finding a limit of 200/s takes a second more.
	slowestStart = 2.0
	// Until it is refused, a rate that has let tries calls through is multiplied by growth. With one call 20 calls have a
	// fifth more of them refused, with three the search for 100/s takes two seconds more.
	growth, tries = 1.3, 2
	// What the first refusal after that leaves of it: calls that were under way have raised it too far, and a burst that
	// was allowed has hidden it. With 0.8 or 0.5 twice as many runs are late.
	tooFar = 0.6

	// What a refusal leaves of the rate. 0.85 refuses a tenth more calls, 0.7 leaves too much unused when each refusal
	// comes with Retry-After.
	decrease = 0.8
	// In a second the rate gains this part of itself and of 3/s. The latter brings processes to equal parts. Twice as much
	// is late with Retry-After, half as much takes minutes to notice that another process has ended.
	increase, increaseOf = 0.01, 3
	// What the rate is above the one refused last grows by this part of itself in a second: a limit has been lifted. Ten
	// times the rate is reached in 20 s; with 0.3 in 35 s, with 1 a service that allows bursts refuses more.
	acceleration = 0.7

	// The longest time between calls for which refusals are the reason. A service that is down is asked that often, and
	// a process that others leave no room asks often enough to get some: with 2 s it ends with a thirtieth of theirs.
	longestGap = time.Second
)

// newPace returns the pace of a process that may make at most ceiling calls a second (infinite for no limit of its
// own).
func newPace(ceiling float64, random func() float64) *pace {
	return &pace{
		ceiling: ceiling, random: random, next: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		rate: math.Inf(1),
	}
}

// await blocks until the next call may be sent. If the context ends first it returns the context's error, and no call
// has been counted.
func (p *pace) await(ctx context.Context) (turn, error) {
	select {
	case p.next <- struct{}{}:
		defer func() { <-p.next }()
	case <-ctx.Done():
	}
	for held := false; ctx.Err() == nil; {
		number, wait := p.take()
		if wait <= 0 {
			return turn{number, held}, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			held = true
		case <-p.wake:
			held = false
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return turn{}, ctx.Err()
}

// take counts the next call as sent and returns its number, or says how long to wait for its moment.
func (p *pace) take() (number int, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.sent == 0 {
		p.first = now
	}
	moment := later(p.last.Add(p.gap()), p.opens)
	if math.IsInf(p.rate, 1) && float64(p.sent-p.silent) >= 1+admitted*float64(p.passes) {
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

// passed says that the service has let a call through, whatever its answer was.
func (p *pace) passed(t turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	grown := max(0, now.Sub(later(p.passedAt, p.opens)))
	p.passedAt = now
	p.passes++
	if t.number > p.changed && !math.IsInf(p.rate, 1) {
		p.through, p.backoff = true, 0
		switch {
		case !t.held: // Nobody has tried this rate, so a higher one is neither known to pass nor of use.
		case p.searching:
			if p.tried++; p.tried == tries {
				p.rate *= growth
				p.tried, p.changed = 0, p.sent
			}
		default:
			gain := increase*(increaseOf+p.rate) + acceleration*max(0, p.rate-p.refusedAt)
			p.rate += gain * grown.Seconds()
		}
		p.rate = min(p.rate, p.ceiling)
	}
	p.wakeNext()
}

// unanswered says that a call has ended without an answer, which tells nothing of the pace.
func (p *pace) unanswered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent++
	p.wakeNext()
}

// refused says that the service has refused a call for its pace, and asked for a wait of retryAfter; 0 if for none.
func (p *pace) refused(t turn, retryAfter time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if t.number > p.lowered { // Calls under way together are refused together, which counts once.
		retryAfter += p.slowDown(t, now)
	}
	p.opens = later(p.opens, now.Add(retryAfter))
	p.wakeNext()
}

// slowDown adapts the pace to a refusal and returns how long all calls wait. That is random: processes that were
// refused together must not come back together.
func (p *pace) slowDown(t turn, now time.Time) time.Duration {
	gaps := 0.5 + p.random()
	switch {
	case math.IsInf(p.rate, 1):
		p.searching = now.Sub(p.first) < time.Second
		p.rate = max(slowestStart, float64(p.passes)/max(1, now.Sub(p.first).Seconds()))
		p.refusedAt = p.rate
	case !p.through:
		// Others are served, or nobody is. The rate may be right nevertheless, and has been lowered for this already.
		p.backoff = min(2*p.gap(), longestGap)
	default:
		p.refusedAt = p.rate
		if p.searching {
			p.rate *= tooFar
		} else {
			p.rate *= decrease
		}
		p.rate = max(p.rate, 1/longestGap.Seconds())
		p.searching = false
		if t.number == p.sent { // It came a little too early, and need not wait for a whole gap more.
			p.last = time.Time{}
			gaps = 0.1 + 0.3*p.random()
		}
	}
	p.through = false
	p.changed, p.lowered = p.sent, p.sent
	return time.Duration(gaps * float64(p.gap()))
}

// letThrough returns when the service has last let a call through; the zero time if it never has.
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
