// Package probe finds out how a service behaves where its contract leaves that open. It asks with groups of its own,
// and removes them.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// NoEnvironment is the expected environment of a key whose service returns none.
const NoEnvironment = "none"

// lookupName is the name that a lookup sends if it has to send one. No update sends it, so it shows an echo.
const lookupName = Prefix + "lookup"

// retries is how many times a call is retried. Some calls are meant to fail, so more would only take time.
const retries = 2

// Options configure a probe.
type Options struct {
	// Client says how to reach the service.
	Client api.Config
	// Environment is the tag of the environment that the key must belong to, or NoEnvironment.
	Environment string
	// Advice returns what to check or change after a failed call.
	Advice func(*api.Error) string
	// Progress gets a line for each step.
	Progress io.Writer
}

type probe struct {
	wire

	client  *api.Client
	options Options
	stem    string
	groups  []*group
	rows    map[string]Row

	// nameNeeded means that the service refuses a lookup without a name.
	nameNeeded bool
	// uncached means that lookups are known to reach the service. Until then, no token from a lookup is to be trusted.
	uncached bool
	// showsName and showsProperties are what a lookup by ID shows.
	showsName, showsProperties bool
	// stale is a token that the main group had before its rotation, or zero.
	stale api.Secret
	// lag is how long a lookup shows what was before a change.
	lag time.Duration
	// failure ends the probe. Once it is set, nothing more is asked and no finding is recorded.
	failure error
}

// Run asks the service and returns what it found. It removes the groups that it has created whatever happens, even
// if it panics. A context that ends stops it before the next call.
func Run(ctx context.Context, options Options) (report Report) {
	p := &probe{options: options, stem: newStem(), rows: map[string]Row{}}
	options.Client.MaxRetries = min(options.Client.MaxRetries, retries)
	p.through = cmp.Or(options.Client.Transport, api.NewTransport(options.Client))
	options.Client.Transport = &p.wire
	p.client = api.New(options.Client)
	defer func() {
		p.progress("removing what the probe has created")
		p.removeAll(ctx)
		report = p.report()
	}()
	for _, step := range steps {
		if p.failure == nil {
			p.progress(step.name)
			step.ask(p, ctx)
		}
	}
	return report
}

func (p *probe) progress(step string) {
	_, _ = fmt.Fprintf(p.options.Progress, "calls so far: %2d; %s\n", p.attempts, step)
}

// reply is the response to a call. It has an error if the service refused.
type reply struct {
	api.Answer

	refused *api.Error
	// shape describes the response.
	shape string
}

// isNew reports whether the call created the group, as far as the response says so.
func (r reply) isNew() bool { return r.New != nil && *r.New }

// ask makes a call. Anything but a response of the service ends the probe.
func (p *probe) ask(call func() (api.Answer, error)) reply {
	if p.failure != nil {
		return reply{refused: &api.Error{Kind: api.NotSent}}
	}
	answer, err := call()
	r := reply{Answer: answer, shape: p.shape()}
	if !errors.As(err, &r.refused) {
		return r
	}
	switch kind := r.refused.Kind; {
	case kind == api.Refused && r.refused.AfterLostAttempt: // The lost attempt may be the reason.
		p.failure = r.refused
	case kind == api.Refused || kind == api.Unauthorized || kind == api.Incomplete:
	case kind == api.UnknownOutcome && r.refused.Status/100 == 5 && r.refused.FromService():
	case kind == api.Cached:
		p.behindCache()
	default:
		p.failure = r.refused
	}
	return r
}

// lookup returns the request for a lookup by ID, with a name only if one is needed.
func (p *probe) lookup(g *group) api.GroupRequest {
	request := api.GroupRequest{UserGroupID: g.id}
	if p.nameNeeded {
		name := lookupName
		request.Name = &name
	}
	return request
}

// create looks up a group that does not exist yet.
func (p *probe) create(ctx context.Context, g *group) reply {
	return p.making(g, func() (api.Answer, error) { return p.client.GetOrCreate(ctx, p.lookup(g)) })
}

// making makes a call that creates the group, unless it exists.
func (p *probe) making(g *group, call func() (api.Answer, error)) reply {
	known := g.made
	g.made = true
	r := p.ask(call)
	if r.refused != nil && !r.refused.MayHaveHappened() {
		g.made = known
	}
	return r
}

// show looks up a group that exists, once lookups show the last change.
func (p *probe) show(ctx context.Context, g *group) api.UserGroup {
	p.settle(ctx)
	r := p.create(ctx, g)
	p.must(r)
	return r.UserGroup
}

func (p *probe) update(ctx context.Context, request api.GroupRequest) reply {
	return p.ask(func() (api.Answer, error) { return p.client.Update(ctx, request) })
}

func (p *probe) rotate(ctx context.Context, g *group, token api.Secret) reply {
	r := p.ask(func() (api.Answer, error) {
		return p.client.Rotate(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: g.id})
	})
	if r.refused == nil {
		g.token = r.UserGroup.Token
	}
	return r
}

func (p *probe) delete(ctx context.Context, g *group, token api.Secret) reply {
	r := p.ask(func() (api.Answer, error) {
		return api.Answer{}, p.client.Delete(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: g.id})
	})
	if r.refused == nil {
		g.made = false
	}
	return r
}

// settle waits until lookups show the last change.
func (p *probe) settle(ctx context.Context) { _ = api.Sleep(ctx, p.lag) }
