package probe

import (
	"context"
	"slices"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// toRemove returns how many calls it may take to remove what the probe has created.
func (p *probe) toRemove() int {
	forEach := 2
	if p.busy {
		forEach = 4
	}
	return forEach*len(p.made()) + 2
}

// erase deletes a group. It repeats that while the group is busy. If the service refuses otherwise, it may demand the
// ID of a data source. Then erase sends one that nothing can have, from then on.
func (p *probe) erase(ctx context.Context, g *group) reply {
	r := p.delete(ctx, g, g.token)
	for _, wait := range patience {
		if p.busy = p.busy || p.wasBusy(); r.refused == nil || r.refused.Kind != api.Busy {
			break
		}
		_ = api.Sleep(ctx, wait)
		r = p.delete(ctx, g, g.token)
	}
	if r.refused != nil && p.source == "" {
		p.source = p.stem
		if r = p.delete(ctx, g, g.token); r.refused != nil {
			p.source = ""
		}
	}
	if r.refused == nil {
		g.made, g.old, g.token = false, append(g.old, g.token), api.Secret{}
	}
	return r
}

func (p *probe) made() []*group {
	return slices.DeleteFunc(slices.Clone(p.groups), func(g *group) bool { return !g.made })
}

// removeAll deletes every group that the probe has created, even if it has failed. It gives up when the service has not
// responded twice. What may be left stays marked as made.
func (p *probe) removeAll(ctx context.Context) {
	before := p.failure
	p.removing = true
	mayRepeat := true
	for _, g := range p.made() {
		if p.rows["delete"].Answer == "ignored" {
			break // A deletion that seems to work would not be named.
		}
		p.remove(ctx, g)
		if p.failure != nil && mayRepeat {
			mayRepeat = false
			p.remove(ctx, g)
		}
		if p.failure != nil {
			break
		}
	}
	p.failure = before
}

// remove deletes a group. If the service refuses, a lookup shows the current token, and a later one does so even if
// lookups lag. Without trust, there is no lookup: the token could be that of a customer. A lookup creates the group
// again if it was gone, so another deletion follows in any case.
func (p *probe) remove(ctx context.Context, g *group) {
	p.failure = nil
	r := p.erase(ctx, g)
	for _, pause := range []time.Duration{p.pause, longestLag} {
		if r.refused == nil || p.failure != nil || !p.trusted {
			return
		}
		p.pause = pause
		if r = p.lookUp(ctx, g); r.refused == nil {
			g.token = r.UserGroup.Token
			r = p.erase(ctx, g)
		}
	}
}
