package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// oddText is what services change that escape, clean or convert texts.
const oddText = ` & <x> "É'`

// The properties that are sent, in this order.
var (
	firstProperties, _  = api.ParseProperties(`{"first":"1"}`)
	secondProperties, _ = api.ParseProperties(encoded(map[string]string{textKey: oddText}))
	withoutFirst, _     = api.ParseProperties(`{"first":null}`)
	noProperties, _     = api.ParseProperties(`{}`)
	lastProperties, _   = api.ParseProperties(`{"last":true}`)
)

// textKey is the property that has oddText.
const textKey = "text"

func encoded(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// asksLookups rotates before and after a lookup. A rotation shows the stored name, because its request has none.
func (p *probe) asksLookups(ctx context.Context) {
	g := p.main()
	_ = api.Sleep(ctx, settling)
	rotated := p.rotate(ctx, g)
	p.asksRotation(ctx, g, rotated)
	seen := p.look(ctx, g)
	p.rotateShows, p.lookShows = rotated.shows(g.name), seen.shows(g.name)
	p.lookShowsProperties = seen.UserGroup.Properties.Has("first")
	if p.mayUpdate {
		shown := those(map[string]bool{"name": p.lookShows, "properties": p.lookShowsProperties})
		p.found("lookup", cmp.Or(shown, "nothing"), pick(p.showsNames(), "", " Whether a lookup changes the name cannot be "+
			"seen either. Ask whoever runs the service. If it does, do not use the provider."))
	}
	if p.mayRotate {
		p.found("lag", pick(p.pause > 0, "lags", "none"), "")
	}
	other := p.stem + " other"
	switch {
	case p.rotateShows && !p.rotate(ctx, g).shows(g.name):
		p.lookShows, p.lookShowsProperties = false, false // They show what the lookup itself has left.
		p.found("overwrites", "always", "")
	case !p.showsNames():
	case p.sends("name"): // The lookup had another name.
		p.found("overwrites", "no", "")
	default:
		p.must(p.get(ctx, g, other))
		p.found("overwrites", pick(p.see(ctx).shows(other), "named", "no"), "")
	}
}

// asksRotation takes the response to a rotation.
func (p *probe) asksRotation(ctx context.Context, g *group, rotated reply) {
	if p.mayRotate = rotated.refused == nil; !p.mayRotate {
		seen := p.must(p.lookUp(ctx, g)).UserGroup.Token
		if !p.signed && seen != g.token && p.failure == nil {
			g.token = seen
			p.found("between", "repeated", "a rotation that was sent once was refused, but carried out")
			return
		}
	}
	p.found("rotate", pick(!p.mayRotate, "no", pick(p.isLate, "later", "yes")), rotated.says())
}

func (p *probe) showsNames() bool { return p.lookShows || p.rotateShows }

// see shows what is stored of the main group, as far as responses show it.
func (p *probe) see(ctx context.Context) (seen reply) {
	if p.lookShows || p.lookShowsProperties {
		seen = p.look(ctx, p.main())
	}
	if !p.lookShows {
		seen.UserGroup.Name = nil
		if p.rotateShows {
			seen.UserGroup.Name = p.must(p.rotate(ctx, p.main())).UserGroup.Name
		}
	}
	return seen
}

// asksStaleRotation rotates with the token before the last one, and with the last one, which some services accept for a
// while.
func (p *probe) asksStaleRotation(ctx context.Context) {
	if !p.mayRotate {
		return
	}
	old := p.main().old
	if before := len(old) - 2; before >= 0 && !p.rotatesStale(ctx, old[before], "the one before the last") {
		return
	}
	p.rotatesStale(ctx, old[len(old)-1], "the last one")
}

// rotatesStale rotates with an old token. It reports whether the service refuses that.
func (p *probe) rotatesStale(ctx context.Context, token api.Secret, which string) bool {
	g, stale := p.main(), p.rotateWith(ctx, p.main(), token)
	if no := stale.refused; no != nil && no.Kind != api.Incomplete {
		p.found("stale-rotation", pick(stale.crashed, "fails", "refused"), stale.says())
		return !stale.crashed
	}
	named := stale.UserGroup.TeamID != "" || stale.UserGroup.ProvidedID != nil
	now := p.must(p.lookUp(ctx, g)).UserGroup.Token
	p.found("stale-rotation", pick(now != g.token, "accepted", pick(named, "believed", "hollow")), which)
	if now != g.token {
		g.old, g.token = append(g.old, g.token), now
	}
	return false
}

func (p *probe) asksUpdates(ctx context.Context) {
	if !p.mayUpdate {
		return
	}
	seen := p.asksTexts(ctx)
	if p.lookShowsProperties {
		p.asksMerging(ctx, seen)
	}
	if !p.complete {
		p.asksUnsent(ctx, pick(p.rows["texts"].Answer == "refused", "last", textKey))
	}
	p.asksEmpty(ctx)
}

// asksMerging takes what is stored after firstProperties and then others were sent. If the service has merged them, it
// sends null for the first one.
func (p *probe) asksMerging(ctx context.Context, seen reply) {
	if !seen.UserGroup.Properties.Has("first") {
		p.found("properties", "replaced", "")
		return
	}
	p.update(ctx, p.main(), p.stem+" merged", withoutFirst)
	p.found("properties", pick(p.see(ctx).UserGroup.Properties.Has("first"), "merged", "removes"), "")
}

// asksUnsent sends updates without properties, and without a name. The properties that were sent last have a key.
func (p *probe) asksUnsent(ctx context.Context, sent string) {
	g, renamed := p.main(), p.stem+" renamed"
	if p.demands(p.update(ctx, g, renamed, api.Properties{}), "properties") {
		return
	}
	after := p.see(ctx).UserGroup.Properties
	cleared := map[string]bool{"properties": p.lookShowsProperties && !after.Has(sent)}
	if r := p.update(ctx, g, "", lastProperties); !p.demands(r, "the name") && p.showsNames() {
		cleared["name"] = !p.see(ctx).shows(renamed)
	}
	if lost := those(cleared); lost != "" || p.lookShowsProperties {
		p.found("unsent", pick(lost != "", "cleared", "kept"), lost)
	}
}

// demands takes the response to an update without a field. If the service refuses it, later updates have all fields.
func (p *probe) demands(r reply, field string) bool {
	if r.refused != nil {
		p.complete = true
		p.found("update", "demands", field+": "+r.says())
	}
	return r.refused != nil
}

// asksTexts updates the group with texts that services change, and returns what is stored then.
func (p *probe) asksTexts(ctx context.Context) (seen reply) {
	g, name := p.main(), p.stem+oddText
	r := p.update(ctx, g, name, secondProperties)
	if r.refused != nil {
		p.must(p.update(ctx, g, g.name, lastProperties))
		p.found("texts", "refused", r.says())
		return p.see(ctx)
	}
	seen = p.see(ctx)
	if seen.shows(g.name) && p.pause == 0 { // That is the old name.
		p.pause = longestLag
		if seen = p.see(ctx); seen.shows(g.name) {
			p.pause = 0
		} else {
			p.found("lag", "lags", "")
		}
	}
	var shown []string
	if p.showsNames() {
		shown = append(shown, strings.TrimPrefix(*cmp.Or(seen.UserGroup.Name, new("")), p.stem))
	}
	if p.lookShowsProperties {
		shown = append(shown, textIn(seen.UserGroup.Properties))
	}
	p.findsTexts(shown)
	return seen
}

// findsTexts takes what the service shows of oddText.
func (p *probe) findsTexts(shown []string) {
	answer := "kept"
	for _, text := range shown {
		switch {
		case html.UnescapeString(text) != html.UnescapeString(oddText):
			p.found("texts", "changed", printable(strings.TrimSpace(text)))
			return
		case text != oddText:
			answer = "escaped"
		}
	}
	if len(shown) > 0 {
		p.found("texts", answer, "")
	}
}

// textIn returns the property that has oddText.
func textIn(properties api.Properties) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(properties.Text()), &members)
	text, _ := members[textKey].(string)
	return text
}

// asksEmpty sends empty properties, after others.
func (p *probe) asksEmpty(ctx context.Context) {
	g, name := p.main(), p.stem+" emptied"
	if p.complete {
		p.must(p.update(ctx, g, name, lastProperties))
	}
	if r := p.update(ctx, g, name, noProperties); r.refused != nil {
		p.found("empty", "refused", r.says())
	} else if seen := p.see(ctx); p.lookShowsProperties {
		p.found("empty", pick(seen.UserGroup.Properties.Has("last"), "ignored", "emptied"), "")
	}
}
