// Package probe finds out how a service behaves where its contract leaves that open. It asks with groups of its own,
// and removes them.
//
// questions.go has the questions with their possible answers. The files of the steps make the calls, and record the
// answers. A new question needs an entry in the one, and a call of found in one of the others. What is said about a
// service has to be true of it: a false claim first becomes a row of TestStrangersAreToldWhatIsSo.
package probe

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

const (
	// NoEnvironment is the expected environment of a key whose service returns none.
	NoEnvironment = "none"
	// Prefix begins the ID of every group that a probe creates. Nothing else may use it.
	Prefix = "embed-probe-"

	// maxCalls is how many requests a probe sends. It asks nothing more once it needs the rest to remove its groups.
	maxCalls = 72
	// retries is how many times a call is retried. Some calls are meant to fail, so more would only take time.
	retries = 1
	// settling is how long the probe waits before it changes a group that it has created. A replica has the group by then.
	settling = 3 * time.Second
	// spaced is the wait before each call, once calls in quick succession were refused.
	spaced = 500 * time.Millisecond
	// longestLag is the wait before a lookup of a service that has shown an old token.
	longestLag = 5 * time.Second
)

// patience are the waits for something that the service does later.
var patience = []time.Duration{2 * time.Second, longestLag, 10 * time.Second}

// Options configure a probe.
type Options struct {
	Client               api.Config // says how to reach the service
	Environment          string     // the tag that the key must belong to, or NoEnvironment
	LookupFields         []string   // the fields that the provider is set to send with every lookup
	DataSourceProvidedID string     // is sent with every deletion, unless it is empty
	Progress             io.Writer  // gets a line for each step
}

type probe struct {
	wire

	client  *api.Client
	options Options
	stem    string
	groups  []*group
	rows    map[string]Row
	// failure ends the probe. Once it is set, no question is asked and no answer is recorded.
	failure  error
	removing bool

	// source is sent with every deletion, unless it is empty.
	source string
	// trusted means that lookups are known to reach the service. Until then, no token from a lookup is to be trusted.
	trusted bool
	// signed means that every response has another token.
	signed bool
	// renewed means that the response to each update has another token, and that lookups show it.
	renewed bool
	// fields are those that the service demands in a lookup, apart from the ID.
	fields               []string
	mayUpdate, mayRotate bool
	// complete means that an update has all fields, because the service refuses others.
	complete bool
	// isLate means that a rotation takes effect some time after its response.
	isLate bool
	// busy means that the service has refused a deletion because something else was under way.
	busy bool
	// lookShows, lookShowsProperties and rotateShows are which responses show what is stored.
	lookShows, lookShowsProperties, rotateShows bool
	// pause is the wait before a lookup, and spacing that before each call.
	pause, spacing time.Duration
	// bursts is how often something in front of the service has refused a call because of those before it.
	bursts int
	// constant are the methods for which such a refusal does not pass.
	constant map[string]bool
}

// group is a group of the probe's own. Its ID is random, so nobody else can have a group with it.
type group struct {
	id, name string
	// token is the current token, or zero until it is certain that it belongs to this group. A token alone decides
	// which group a rotation or a deletion strikes.
	token  api.Secret
	old    []api.Secret
	teamID string
	// made means that a call that creates the group was sent, and that the group is not known to be gone.
	made bool
}

// Run asks the service and returns what it found. It removes the groups that it has created whatever happens, even
// if it panics. A context that ends stops it before the next call.
func Run(ctx context.Context, options Options) (report Report) {
	p := &probe{
		options: options, stem: Prefix + strings.ToLower(rand.Text()[:6]), rows: map[string]Row{},
		constant: map[string]bool{},
		source:   options.DataSourceProvidedID,
	}
	options.Client.MaxRetries = min(options.Client.MaxRetries, retries)
	p.through = cmp.Or(options.Client.Transport, api.NewTransport(options.Client))
	options.Client.Transport = &p.wire
	p.client = api.New(options.Client)
	defer func() {
		p.progress("removing what the probe has created")
		p.removeAll(context.WithoutCancel(ctx))
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

// own returns a group of the probe's own that does not exist yet. The ID is short, because columns are.
func (p *probe) own(id string) *group {
	g := &group{id: p.stem + id, name: fmt.Sprintf("%s name %d", p.stem, len(p.groups))}
	p.groups = append(p.groups, g)
	return g
}

// reply is the response to a call. It has an error if the service refused the call, or failed.
type reply struct {
	api.Answer

	refused *api.Error
	// crashed means that the service failed each time. Services that do not check what they get fail in place of refusing.
	crashed bool
}

func (r reply) existed() bool { return r.New != nil && !*r.New && r.Earlier == api.No }

// shows reports whether a response shows a name, as far as its letters and digits go.
func (r reply) shows(name string) bool {
	plain := func(text string) string { return notInNames.ReplaceAllString(strings.ToLower(text), "") }
	return r.UserGroup.Name != nil && plain(*r.UserGroup.Name) == plain(name)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

func (r reply) isForeign(g *group) bool {
	return !strings.EqualFold(*cmp.Or(r.UserGroup.ProvidedID, &g.id), g.id)
}

// says returns the status of a refusal, and the words of the service.
func (r reply) says() string {
	if r.refused == nil {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintf("%d (%s)", r.refused.Status, printable(r.refused.Message)), " ()")
}

// ask makes a call. Anything but a response of the service ends the probe.
func (p *probe) ask(ctx context.Context, call sending) reply {
	isOver := p.attempts+p.toRemove() > maxCalls
	if isOver && p.failure == nil && !p.removing {
		p.failure = sentence("With this service, the questions take more calls than the probe may make")
	}
	if p.failure != nil {
		return reply{refused: &api.Error{Kind: api.NotSent}}
	}
	r := p.send(ctx, call)
	if r.isForeign403() && !p.constant[r.refused.Method] {
		r = p.askLater(ctx, call, r)
	}
	return r
}

// sending makes a call.
type sending func(api.Calls) (api.Answer, *api.Error)

func (p *probe) send(ctx context.Context, call sending) reply {
	_ = api.Sleep(ctx, p.spacing)
	p.statuses = nil
	answer, failure := call(p.client.Begin(nil))
	r := reply{Answer: answer, refused: failure, crashed: p.crashed()}
	if failure != nil {
		p.judge(r)
	}
	return r
}

// isForeign403 reports whether something in front of the service may have refused the call.
func (r reply) isForeign403() bool {
	return r.refused != nil && r.refused.Status == http.StatusForbidden && !r.refused.FromService
}

// askLater repeats a call that something in front of the service may have refused. If that helps, or if a lookup of a
// group that exists is refused as well, there were too many calls in a short time. Otherwise, the refusal is about the
// call.
func (p *probe) askLater(ctx context.Context, call sending, r reply) reply {
	method := r.refused.Method
	for _, wait := range patience {
		_ = api.Sleep(ctx, wait)
		if r = p.send(ctx, call); !r.isForeign403() {
			p.bursts++
			p.spacing = spaced
			return r
		}
	}
	p.constant[method] = true
	if p.isShutOut(ctx) {
		p.bursts++
		p.failure = r.refused
	}
	return r
}

// isShutOut reports whether a lookup of a group that exists is refused by something in front of the service.
func (p *probe) isShutOut(ctx context.Context) bool {
	for _, g := range p.made() {
		if !g.token.IsZero() {
			return p.send(ctx, p.lookup(ctx, g, g.name)).isForeign403()
		}
	}
	return false
}

// responses are the kinds of failures that are responses of the service.
var responses = []api.Kind{api.Refused, api.Busy, api.Unauthorized, api.Incomplete}

// judge ends the probe if a failed call says more than that the service has refused it.
func (p *probe) judge(r reply) {
	kind := r.refused.Kind
	isLost := r.refused.Done != api.No && kind != api.Incomplete // A lost attempt may be the reason for a refusal.
	isNone := !slices.Contains(responses, kind)
	switch {
	case p.slash != "":
		p.stop("create", "slash", p.slash)
	case kind == api.Cached:
		p.behindCache()
	case r.crashed:
	case isNone || isLost:
		p.failure = r.refused
	}
}

// mayHaveHappened reports whether a call that has failed may have done the work nevertheless. It is false for nil.
func mayHaveHappened(failure *api.Error) bool { return failure != nil && failure.Done != api.No }

// must ends the probe if a call was refused that it cannot do without.
func (p *probe) must(r reply) reply {
	if r.refused != nil && p.failure == nil {
		p.failure = r.refused
	}
	return r
}

// making makes a call that creates the group, unless it exists. A service that only fails has not created it.
func (p *probe) making(ctx context.Context, g *group, call sending) reply {
	known := g.made
	g.made = true
	r := p.ask(ctx, call)
	switch {
	case r.refused == nil:
		g.teamID = r.UserGroup.TeamID
	case r.crashed || !mayHaveHappened(r.refused):
		g.made = known
	}
	return r
}

// get looks up a group, and creates it if it does not exist. It sends a name unless that is empty, and as empty objects
// what else a lookup has to have.
func (p *probe) get(ctx context.Context, g *group, name string) reply {
	return p.making(ctx, g, p.lookup(ctx, g, name))
}

func (p *probe) lookup(ctx context.Context, g *group, name string) sending {
	sent := request(g, name, api.Properties{})
	if p.sends("mapping") {
		sent.Mapping = map[string]string{}
	}
	if p.sends("properties") {
		sent.Properties, _ = api.ParseProperties("{}")
	}
	return func(calls api.Calls) (api.Answer, *api.Error) { return calls.GetOrCreate(ctx, sent) }
}

// sends reports whether a lookup has to have a field.
func (p *probe) sends(field string) bool { return slices.Contains(p.fields, field) }

// lookUp looks up a group, once lookups show what was changed. It sends a name only if it has to. No update sends that
// name, so it shows an echo.
func (p *probe) lookUp(ctx context.Context, g *group) reply {
	_ = api.Sleep(ctx, p.pause)
	return p.get(ctx, g, pick(p.sends("name"), p.stem+" lookup", ""))
}

// look looks up a group that exists. It ends the probe if what it shows does not come from the service.
func (p *probe) look(ctx context.Context, g *group) reply {
	r := p.must(p.lookUp(ctx, g))
	isCurrent := p.signed || r.UserGroup.Token == g.token
	isBefore := r.UserGroup.Token == g.before()
	switch {
	case p.failure != nil, isCurrent && !r.isForeign(g):
		return r
	case isBefore && p.pause == 0:
		p.pause = longestLag
		return p.look(ctx, g)
	default:
		p.behindCache()
		return r
	}
}

// before returns the token before the current one. It is zero if there is none.
func (g *group) before() (token api.Secret) {
	if len(g.old) > 0 {
		token = g.old[len(g.old)-1]
	}
	return token
}

// request returns what a call sends about a group. An empty name and zero properties are not sent.
func request(g *group, name string, properties api.Properties) api.GroupRequest {
	r := api.GroupRequest{UserGroupID: g.id, Properties: properties}
	if name != "" {
		r.Name = &name
	}
	return r
}

func (p *probe) update(ctx context.Context, g *group, name string, properties api.Properties) reply {
	sent := request(g, name, properties)
	if p.complete {
		sent.Mapping = map[string]string{}
	}
	if p.complete && properties.IsZero() {
		sent.Properties = lastProperties
	}
	r := p.making(ctx, g, func(calls api.Calls) (api.Answer, *api.Error) { return calls.Update(ctx, sent) })
	if p.renewed && !r.UserGroup.Token.IsZero() {
		g.old, g.token = append(g.old, g.token), r.UserGroup.Token
	}
	return r
}

func (p *probe) rotateWith(ctx context.Context, g *group, token api.Secret) reply {
	return p.ask(ctx, func(calls api.Calls) (api.Answer, *api.Error) {
		return calls.Rotate(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: g.id})
	})
}

// rotate rotates the token of a group. A lost response ends the probe, and the token is zero then. If the response
// shows the token that was sent, rotate waits until a lookup shows another one.
func (p *probe) rotate(ctx context.Context, g *group) reply {
	r := p.rotateWith(ctx, g, g.token)
	if mayHaveHappened(r.refused) {
		p.must(r)
	} else if r.refused != nil {
		return r
	}
	sent := g.token
	g.old, g.token = append(g.old, sent), r.UserGroup.Token
	if g.token == sent {
		p.await(ctx, g)
	}
	return r
}

// await waits until a lookup shows a token that is not the last of the old ones.
func (p *probe) await(ctx context.Context, g *group) {
	sent := g.token
	for i, wait := range append([]time.Duration{0}, patience...) {
		_ = api.Sleep(ctx, wait)
		g.token = p.must(p.lookUp(ctx, g)).UserGroup.Token
		if g.token != sent {
			if p.isLate = i > 0; p.isLate {
				p.pause = longestLag // Lookups may lag, too.
			}
			return
		}
	}
	g.old = g.old[:len(g.old)-1]
	p.stop("rotate", "none", "")
}

func (p *probe) delete(ctx context.Context, g *group, token api.Secret) reply {
	return p.ask(ctx, func(calls api.Calls) (api.Answer, *api.Error) {
		return api.Answer{}, calls.Delete(ctx, api.TokenRequest{
			CurrentToken: token, UserGroupID: g.id, DataSourceProvidedID: p.source,
		})
	})
}
