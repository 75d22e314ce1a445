package probe

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// steps are asked in this order. Until the first group is gone again, no other one is created, so that a key that may
// not delete leaves one group behind at most.
var steps = []struct {
	name string
	ask  func(*probe, context.Context)
}{
	{"creating a group, and updating it to learn the environment of the key", (*probe).asksKey},
	{"rotating the group's token, and using the old one", (*probe).asksTokens},
	{"updating the group, sending only some of its fields", (*probe).asksUpdates},
	{"deleting the group, with an old token and with the current one", (*probe).asksDeletion},
	{"updating a group that does not exist", (*probe).asksMissing},
	{"creating groups whose IDs differ in case, in Unicode form, or only at the end", (*probe).asksIDs},
}

// The properties that are sent, in this order.
var (
	firstProperties  = object(`{"first":"1"}`)
	secondProperties = object(`{"3_digits":1.10,"16_digits":9007199254740993,"23_digits":0.12345678901234567890123}`)
	lastProperties   = object(`{"last":true}`)
)

func object(text string) api.Properties {
	parsed, err := api.ParseProperties(text)
	if err != nil {
		panic(err)
	}
	return parsed
}

// Lookups are repeated for at least longestLag until they show a change, and with growing pauses.
const shortestLag, longestLag = 500 * time.Millisecond, 10 * time.Second

// maxID is the length of the longest IDs, in characters.
const maxID = 255

// oddName has what services tend to normalize: capitals, doubled and surrounding spaces, and a decomposed letter.
const oddName = " Embed  Probe e\u0301 "

// main returns the group that most steps are about.
func (p *probe) main() *group { return p.groups[0] }

func (p *probe) asksKey(ctx context.Context) {
	g := p.own(p.stem)
	made := p.create(ctx, g)
	p.nameNeeded = made.refused != nil && made.refused.Kind == api.Refused
	if p.nameNeeded {
		made = p.create(ctx, g)
	}
	switch {
	case made.refused == nil:
	case made.refused.Kind == api.Unauthorized:
		p.stop("create", "no", made.shape)
	case made.refused.Kind == api.Incomplete:
		// Half a response proves nothing, and rarely comes twice.
		if again := p.create(ctx, g); again.refused != nil && again.UserGroup.Token.IsZero() {
			p.stop("fields", "no-token", "")
		}
		p.must(made)
	default:
		p.must(made)
	}
	p.found("lookup-name", worksUnless(p.nameNeeded), "")

	name := g.id
	changed := p.update(ctx, api.GroupRequest{UserGroupID: g.id, Name: &name, Properties: firstProperties})
	if err := changed.refused; err != nil && err.Kind == api.Unauthorized {
		p.stop("update", "no", changed.shape)
	}
	// A response to a lookup may come from a cache. A response to an update never does.
	token := made.UserGroup.Token
	switch sure := changed.UserGroup.Token; {
	case changed.refused != nil && !made.isNew() && !made.AfterLostAttempt, sure != (api.Secret{}) && sure != token:
		p.behindCache()
	case sure == token:
		g.token = token
	}
	p.must(changed)
	p.checkEnvironment(changed.UserGroup.EnvironmentTag)
	if again := p.create(ctx, g); p.failure == nil && (again.isNew() || again.UserGroup.Token != token) {
		p.behindCache()
	}
	if p.failure != nil {
		return
	}
	g.token, p.uncached = token, true
	p.found("create", "yes", "")
	p.found("update", "yes", "")
	p.found("between", "none", "")
	if !made.isNew() && !made.AfterLostAttempt {
		p.found("between", "repeated", "a create that was sent once found an existing group")
	}
	if missing := missingFields(changed.UserGroup); missing != "" {
		p.found("fields", "missing", missing)
	} else {
		p.found("fields", "complete", "")
	}
}

func (p *probe) checkEnvironment(response *string) {
	tag := ""
	if response != nil {
		tag = *response
	}
	switch {
	case tag == p.options.Environment:
		p.found("environment", "expected", tag)
	case tag == "" && p.options.Environment == NoEnvironment:
		p.found("environment", "none", "")
	case tag == "":
		p.stop("environment", "not-shown", "")
	default:
		p.stop("environment", "other", printable(tag))
	}
}

// missingFields lists what a response to an update that sent a name and properties lacks.
func missingFields(response api.UserGroup) string {
	var missing []string
	for _, field := range []struct {
		name  string
		there bool
	}{
		{"team_id", response.TeamID != ""},
		{"token", !response.Token.IsZero()},
		{"name", response.Name != nil},
		{"provided_id", response.ProvidedID != nil},
		{"properties", !response.Properties.IsZero()},
	} {
		if !field.there {
			missing = append(missing, field.name)
		}
	}
	return strings.Join(missing, ", ")
}

func (p *probe) asksTokens(ctx context.Context) {
	g, old := p.main(), p.main().token
	rotated := p.rotate(ctx, g, old)
	if rotated.refused != nil && rotated.refused.MayHaveHappened() {
		p.must(rotated)
	}
	changed, lag := time.Now(), time.Duration(0)
	seen := p.show(ctx, g)
	for pause := shortestLag; rotated.refused == nil && seen.Token == old && pause < longestLag; pause *= 2 {
		_ = api.Sleep(ctx, pause)
		seen = p.show(ctx, g)
		lag = time.Since(changed)
	}
	if p.failure != nil {
		return
	}
	p.lag = lag
	p.asksLookup(seen)
	switch {
	case rotated.refused != nil && seen.Token != old:
		p.found("between", "repeated", "a rotation that was sent once was refused, but carried out")
		g.token = seen.Token
		return
	case rotated.refused != nil:
		p.found("rotate", "no", rotated.shape)
		return
	}
	p.stale = old
	p.found("rotate", "yes", "")
	if p.lag > 0 {
		p.found("lag", "lags", p.lag.Round(100*time.Millisecond).String())
	} else {
		p.found("lag", "none", "")
	}
	switch stale := p.rotate(ctx, g, old); {
	case stale.refused == nil:
		p.found("stale-rotation", "accepted", "")
	case stale.refused.Status/100 == 5:
		p.found("stale-rotation", "failed", stale.shape)
	case stale.refused.Kind == api.Unauthorized:
		p.found("stale-rotation", "unauthorized", stale.shape)
	default:
		p.found("stale-rotation", "refused", stale.shape)
	}
}

// asksLookup takes a lookup of the group after its update.
func (p *probe) asksLookup(seen api.UserGroup) {
	p.showsName = seen.Name != nil && *seen.Name == p.main().id
	p.showsProperties = !seen.Properties.IsZero()
	shown := map[[2]bool]string{{true, true}: "both", {true, false}: "name", {false, true}: "properties", {}: "nothing"}
	p.found("lookup", shown[[2]bool{p.showsName, p.showsProperties}], "")
}

func (p *probe) asksUpdates(ctx context.Context) {
	g, name := p.main(), oddName
	whole := api.GroupRequest{UserGroupID: g.id, Name: &name, Properties: secondProperties}
	if r := p.update(ctx, whole); r.refused != nil {
		p.found("name", "refused", r.shape)
		name = g.id
		p.must(p.update(ctx, whole))
	}
	seen := p.show(ctx, g)
	p.asksName(name, seen.Name)
	p.asksProperties(seen.Properties)

	var cleared []string
	renamed, before := g.id+"-renamed", seen.Properties
	p.must(p.update(ctx, api.GroupRequest{UserGroupID: g.id, Name: &renamed}))
	if seen = p.show(ctx, g); !seen.Properties.Equal(before) {
		cleared = append(cleared, "properties")
	}
	r := p.update(ctx, api.GroupRequest{UserGroupID: g.id, Properties: lastProperties})
	if r.refused != nil {
		p.must(p.update(ctx, api.GroupRequest{UserGroupID: g.id, Name: &renamed, Properties: lastProperties}))
	} else if seen = p.show(ctx, g); p.showsName && (seen.Name == nil || *seen.Name != renamed) {
		cleared = append(cleared, "name")
	}
	p.found("update-name", worksUnless(r.refused != nil), "")
	switch {
	case cleared != nil:
		p.found("unsent", "cleared", strings.Join(cleared, " and "))
	case p.showsProperties:
		p.found("unsent", "kept", "")
	default:
		p.found("unsent", "unknown", "")
	}
	p.found("mapping", "unknown", "")
}

func (p *probe) asksName(sent string, seen *string) {
	switch {
	case sent != oddName: // An update with it was refused.
	case !p.showsName:
		p.found("name", "unknown", "")
	case seen != nil && *seen == sent:
		p.found("name", "kept", "")
	case seen == nil:
		p.found("name", "changed", "null")
	default:
		p.found("name", "changed", printable(*seen))
	}
}

// asksProperties takes the properties of the group after firstProperties and then secondProperties were sent.
func (p *probe) asksProperties(seen api.Properties) {
	if !p.showsProperties {
		for _, question := range []string{"properties", "own-properties", "numbers"} {
			p.found(question, "unknown", "")
		}
		return
	}
	var remained, differ []string
	for _, key := range secondProperties.Differences(seen) {
		if secondProperties.Has(key) {
			differ = append(differ, key)
		} else {
			remained = append(remained, key)
		}
	}
	first := slices.Index(remained, "first")
	if first < 0 {
		p.found("properties", "replaced", "")
	} else {
		p.found("properties", "merged", "")
		remained = slices.Delete(remained, first, first+1)
	}
	if len(remained) > 0 {
		p.found("own-properties", "added", listed(remained))
	} else {
		p.found("own-properties", "none", "")
	}
	if len(differ) > 0 {
		p.found("numbers", "changed", listed(differ))
	} else {
		p.found("numbers", "exact", "")
	}
}

func (p *probe) asksDeletion(ctx context.Context) {
	g := p.main()
	if !p.stale.IsZero() {
		if r := p.delete(ctx, g, p.stale); r.refused != nil {
			p.found("stale-deletion", "refused", r.shape)
		} else {
			p.settle(ctx)
			if again := p.create(ctx, g); again.isNew() {
				g.token = again.UserGroup.Token
				p.found("stale-deletion", "accepted", "")
			} else {
				p.found("stale-deletion", "ignored", "")
			}
		}
	}
	if r := p.delete(ctx, g, g.token); r.refused != nil {
		p.stop("delete", "no", r.shape)
	}
	p.found("delete", "yes", "")
}

func (p *probe) asksMissing(ctx context.Context) {
	g := p.own(p.stem + "-missing")
	r := p.making(g, func() (api.Answer, error) {
		return p.client.Update(ctx, api.GroupRequest{UserGroupID: g.id, Name: &g.id})
	})
	if r.refused != nil {
		p.found("missing-update", "refused", r.shape)
		return
	}
	g.token = r.UserGroup.Token
	p.found("missing-update", "creates", "")
}

func (p *probe) asksIDs(ctx context.Context) {
	pad := strings.Repeat("x", maxID-len(p.stem)-len("--1"))
	for _, test := range []struct{ question, first, second string }{
		{"id-case", "-id", "-ID"},
		{"id-unicode", "-\u00e9", "-e\u0301"},
		{"id-length", "-" + pad + "-1", "-" + pad + "-2"},
	} {
		if !slices.ContainsFunc(p.groups, func(g *group) bool { return g.id == p.stem+test.first }) {
			if r, _ := p.add(ctx, p.stem+test.first); r.refused != nil {
				p.found(test.question, "refused", r.shape)
				continue
			}
		}
		switch r, same := p.add(ctx, p.stem+test.second); {
		case r.refused != nil:
			p.found(test.question, "refused", r.shape)
		case same:
			p.found(test.question, "same", "")
		default:
			p.found(test.question, "exact", "")
		}
	}
}

// add creates a group, and reports whether it turns out to be one that the probe has already.
func (p *probe) add(ctx context.Context, id string) (r reply, same bool) {
	g := p.own(id)
	r = p.create(ctx, g)
	if r.refused == nil {
		same = slices.ContainsFunc(p.groups, func(g *group) bool { return g.token == r.UserGroup.Token })
		g.made, g.token = !same, r.UserGroup.Token
	}
	return r, same
}

// must ends the probe if a call was refused that it cannot do without.
func (p *probe) must(r reply) {
	if r.refused != nil && p.failure == nil {
		p.failure = r.refused
	}
}

func worksUnless(refused bool) string {
	if refused {
		return "refused"
	}
	return "works"
}

func listed(keys []string) string {
	var quoted []string
	for _, key := range keys {
		quoted = append(quoted, printable(key))
	}
	return strings.Join(quoted, ", ")
}
