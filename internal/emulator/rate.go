package emulator

import "time"

// rateLimit is a bucket that holds one second's worth of calls. A window that
// counts exactly would refuse a caller that keeps the very pace, over its jitter.
type rateLimit struct {
	perSecond int
	level     float64
	filled    time.Time
}

func newRateLimit(perSecond int) *rateLimit {
	return &rateLimit{perSecond: perSecond, level: float64(perSecond)}
}

func (l *rateLimit) admits(now time.Time) bool {
	if l.perSecond == 0 {
		return true
	}
	if !l.filled.IsZero() {
		gained := now.Sub(l.filled).Seconds() * float64(l.perSecond)
		l.level = min(l.level+max(gained, 0), float64(l.perSecond))
	}
	l.filled = now
	if l.level < 1 {
		return false
	}
	l.level--
	return true
}
