package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// The properties that are sent, in this order.
var (
	firstProperties, _  = api.ParseProperties(`{"first":"1"}`)
	secondProperties, _ = api.ParseProperties(`{"digits":9007199254740993,"number":123456.75,` +
		`"nested":{"object":{},"list":[],"null":null,"nulls":[null,1]},"keys":{"0":"a","1":"b"}}`)
	noProperties, _   = api.ParseProperties(`{}`)
	lastProperties, _ = api.ParseProperties(`{"last":true}`)
)

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
		p.found("lookup", pick(shown == "", "nothing", shown), "")
	}
	if p.mayRotate {
		p.found("lag", pick(p.pause > 0, "lags", "none"), "")
		p.found("rotation", cmp.Or(p.staleRotations, "new"), "")
	}
	other := p.stem + " other"
	switch {
	case p.rotateShows && !p.rotate(ctx, g).shows(g.name):
		p.lookShows, p.lookShowsProperties = false, false // They show what the lookup itself has left.
		p.found("overwrites", "always", "")
	case !p.showsNames():
		p.found("overwrites", "unknown", "")
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
	p.found("rotate", pick(p.mayRotate, "yes", "no"), rotated.says())
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

func (p *probe) asksStaleRotation(ctx context.Context) {
	g := p.main()
	if !p.mayRotate {
		return
	}
	stale := p.rotateWith(ctx, g, g.old[0])
	if no := stale.refused; no != nil && no.Kind != api.Incomplete {
		p.found("stale-rotation", pick(stale.crashed, "fails", pick(no.Kind == api.Unauthorized, "unauthorized", "refused")),
			stale.says())
		return
	}
	named := stale.UserGroup.TeamID != "" || stale.UserGroup.ProvidedID != nil
	now := p.must(p.lookUp(ctx, g)).UserGroup.Token
	p.found("stale-rotation", pick(now != g.token, "accepted", pick(named, "believed", "hollow")), "")
	g.token = now
}

func (p *probe) asksUpdates(ctx context.Context) {
	if !p.mayUpdate {
		return
	}
	g := p.main()
	odd := " " + p.stem + " &  \u00e9e\u0301\r\nX "
	r := p.update(ctx, g, odd, secondProperties)
	if r.refused != nil {
		p.must(p.update(ctx, g, g.name, secondProperties))
	}
	seen := p.see(ctx)
	kept := pick(!p.showsNames(), "unknown", pick(seen.shows(odd), "kept", "changed"))
	p.found("name", pick(r.refused != nil, "refused", kept), cmp.Or(r.says(), changesOf(odd, seen.UserGroup.Name)))
	p.asksProperties(seen.UserGroup.Properties)

	renamed, before := p.stem+" renamed", seen.UserGroup.Properties
	p.must(p.update(ctx, g, renamed, api.Properties{}))
	p.refusedOr("unchanged", p.update(ctx, g, renamed, api.Properties{}), "works")
	after := p.see(ctx).UserGroup.Properties
	cleared := map[string]bool{"properties": p.lookShowsProperties && !after.Equal(before)}
	r = p.update(ctx, g, "", lastProperties)
	if p.refusedOr("update-name", r, "works"); r.refused == nil && p.showsNames() {
		cleared["name"] = !p.see(ctx).shows(renamed)
	}
	lost := those(cleared)
	p.found("unsent", pick(lost != "", "cleared", pick(p.lookShowsProperties, "kept", "unknown")), lost)
	p.found("mapping", "unknown", "")
	p.asksEmpty(ctx, r.refused != nil)

	p.asksLength("name-length", func(name string) reply {
		return p.update(ctx, g, name, api.Properties{})
	}, func(name string, _ reply) (string, string) {
		if !p.showsNames() {
			return "unknown", ""
		}
		seen := p.see(ctx)
		return pick(seen.shows(name), "kept", "cut"), at(seen.UserGroup.Name)
	})
}

// asksEmpty sends empty properties. Lists tell whether lastProperties still have to be sent before.
func (p *probe) asksEmpty(ctx context.Context, mustFill bool) {
	g, name := p.main(), p.stem+" emptied"
	if mustFill {
		p.must(p.update(ctx, g, name, lastProperties))
	}
	p.must(p.update(ctx, g, name, noProperties))
	isThere := p.see(ctx).UserGroup.Properties.Has("last")
	p.found("empty", pick(!p.lookShowsProperties, "unknown", pick(isThere, "ignored", "emptied")), "")
}

// changesOf says what a service has made of a name.
func changesOf(sent string, shown *string) string {
	if shown == nil {
		return "it is missing"
	}
	name := html.UnescapeString(*shown)
	changes := those(map[string]bool{
		"lower case":           strings.Contains(name, "x") && !strings.Contains(name, "X"),
		"HTML entities":        name != *shown,
		"another Unicode form": !strings.Contains(name, "\u00e9e\u0301") && strings.Contains(norm.NFC.String(name), "éé"),
		"other line ends":      !strings.Contains(name, "\r\n") && strings.Contains(name, "\n"),
		"fewer spaces":         strings.Count(name, " ") < strings.Count(sent, " "),
	})
	return pick(changes == "", "it becomes "+printable(*shown), changes)
}

// asksProperties takes the properties of the group after firstProperties and then secondProperties were sent.
func (p *probe) asksProperties(seen api.Properties) {
	if !p.lookShowsProperties {
		for _, question := range []string{"properties", "numbers", "nested", "keys"} {
			p.found(question, "unknown", "")
		}
		return
	}
	member := func(properties api.Properties, name string) string {
		var members map[string]json.RawMessage
		_ = json.Unmarshal([]byte(properties.Text()), &members)
		return string(members[name])
	}
	differ, sent, back := secondProperties.Differences(seen), member(secondProperties, "nested"), member(seen, "nested")
	isSame := pick(sent == back, "kept", pick(slices.Contains(differ, "nested"), "changed", "equal"))
	p.found("properties", pick(seen.Has("first"), "merged", "replaced"), "")
	exact := pick(slices.Contains(differ, "digits"), "doubles", "exact")
	number := pick(slices.Contains(differ, "number"), "rounded", exact)
	p.found("numbers", pick(strings.HasPrefix(member(seen, "number"), `"`), "text", number), "")
	p.found("keys", pick(strings.HasPrefix(member(seen, "keys"), "["), "lists", "kept"), printable(member(seen, "keys")))
	p.found("nested", isSame, printable(back))
}
