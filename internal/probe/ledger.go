package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Prefix begins the ID of every group that a probe creates. Nothing else may use it.
const Prefix = "embed-probe-"

// group is a group of the probe's own. Its ID is random, so nobody else can have a group with it.
type group struct {
	id string
	// token is the current token, or zero until it is certain that it belongs to this group. A token alone decides
	// which group a rotation or a deletion strikes.
	token api.Secret
	// made means that a call that creates the group was sent, and that the group is not known to be gone.
	made bool
}

// own returns a group of the probe's own that does not exist yet. Its ID begins with p.stem.
func (p *probe) own(id string) *group {
	g := &group{id: id}
	p.groups = append(p.groups, g)
	return g
}

func newStem() string { return Prefix + strings.ToLower(rand.Text()[:20]) }

// removeAll deletes every group that the probe has created, even if the run was stopped or has failed. It gives up
// once the service no longer responds. What may be left stays marked as made.
func (p *probe) removeAll(ctx context.Context) {
	ctx = api.CleanUp(context.WithoutCancel(ctx))
	for _, g := range p.groups {
		if g.made && !p.remove(ctx, g) {
			return
		}
	}
}

// remove deletes a group and reports whether the service responded. If the service refuses, a lookup shows the
// current token, and a later one does so even if lookups lag. As long as a lookup may come from a cache, there is
// none: the token could be that of a customer. A lookup creates the group again if it was gone, so another deletion
// follows in any case.
func (p *probe) remove(ctx context.Context, g *group) (responded bool) {
	err := p.client.Delete(ctx, api.TokenRequest{CurrentToken: g.token, UserGroupID: g.id})
	for _, pause := range []time.Duration{p.lag, longestLag} {
		var failure *api.Error
		if !errors.As(err, &failure) || failure.Status == 0 || !p.uncached {
			break
		}
		_ = api.Sleep(ctx, pause)
		found, lookupErr := p.client.GetOrCreate(ctx, p.lookup(g))
		if err = lookupErr; err == nil {
			err = p.client.Delete(ctx, api.TokenRequest{CurrentToken: found.UserGroup.Token, UserGroupID: g.id})
		}
	}
	g.made = err != nil
	var failure *api.Error
	return !errors.As(err, &failure) || failure.Status != 0
}
