package probe

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// steps are asked in this order. Until the first group is gone again, no other one is created, so that a key that may
// not delete leaves one group behind at most.
var steps = []struct {
	name string
	ask  func(*probe, context.Context)
}{
	{"creating a group, and updating it to learn the environment of the key", (*probe).asksKey},
	{"rotating the group's token, and looking the group up in between", (*probe).asksLookups},
	{"rotating with an old token", (*probe).asksStaleRotation},
	{"updating the group, sending only some of its fields", (*probe).asksUpdates},
	{"deleting the group, and updating it once more", (*probe).asksDeletion},
	{"creating the group again, and deleting it with an old token", (*probe).asksDeletedID},
	{"creating a group whose ID differs in case", (*probe).asksIDs},
}

// main returns the group that most steps are about.
func (p *probe) main() *group { return p.groups[0] }

// pick is an expression for if and else.
func pick(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// those lists what is true.
func those(is map[string]bool) string {
	maps.DeleteFunc(is, func(_ string, is bool) bool { return !is })
	return strings.Join(slices.Sorted(maps.Keys(is)), ", ")
}

// refusedOr records how the service responded to a call that it may refuse.
func (p *probe) refusedOr(question string, r reply, accepted string) {
	p.found(question, pick(r.refused != nil, "refused", accepted), r.says())
}

func (p *probe) asksKey(ctx context.Context) {
	g := p.own("-a")
	made, refused := p.asksFirst(ctx, g)
	switch {
	case made.refused == nil:
	case made.refused.Kind == api.Incomplete:
		p.stop("create", "no-token", "")
	case made.refused.Kind == api.Unauthorized:
		p.stop("create", "no", made.says())
	}
	p.must(made)
	seen := p.must(p.lookUp(ctx, g))
	changed, demanded := p.asksFirstUpdate(ctx, g)
	p.asksCaches(ctx, g, made, seen, changed)
	p.mayUpdate = changed.refused == nil
	p.found("create", "yes", "")
	p.found("update", pick(!p.mayUpdate, "no", pick(p.complete, "demands", "yes")), cmp.Or(demanded, changed.says()))
	p.asksLookupFields(refused)
	tag := changed.UserGroup.EnvironmentTag
	if tag == nil {
		tag = p.rotate(ctx, g).UserGroup.EnvironmentTag
	}
	p.asksEnvironment(*cmp.Or(tag, new("")))
	p.asksDefaults(made.UserGroup, seen.UserGroup)
}

// asksFirst creates a group with as few fields as the service allows. It returns the last response, and what the
// service says to the first call if it refuses that.
func (p *probe) asksFirst(ctx context.Context, g *group) (made reply, refused string) {
	for _, fields := range [][]string{
		nil, {"name"}, {"name", "properties"}, {"name", "mapping"}, {"name", "mapping", "properties"},
	} {
		p.fields = fields
		made = p.lookUp(ctx, g)
		refused = cmp.Or(refused, made.says())
		if made.refused == nil || made.refused.Kind == api.Unauthorized {
			break
		}
	}
	return made, refused
}

// asksFirstUpdate updates the group, with all fields if the service refuses less. It returns the last response, and
// which fields the service demands. Some services find a new group only after a while, so it waits, and then tries
// again without all fields.
func (p *probe) asksFirstUpdate(ctx context.Context, g *group) (changed reply, demanded string) {
	changed = p.update(ctx, g, g.name, firstProperties)
	if changed.refused == nil {
		return changed, ""
	}
	_ = api.Sleep(ctx, settling)
	p.complete = true
	full := p.update(ctx, g, g.name, firstProperties)
	p.complete = false
	if full.refused != nil {
		return full, ""
	}
	if changed = p.update(ctx, g, g.name, firstProperties); changed.refused == nil {
		return changed, ""
	}
	p.complete = true
	return full, "name, mapping and properties: " + changed.says()
}

// asksLookupFields takes what the service says to a lookup with the ID alone.
func (p *probe) asksLookupFields(refused string) {
	line := lineOf(p.fields)
	isSet := !slices.ContainsFunc(p.fields, func(field string) bool {
		return !slices.Contains(p.options.LookupFields, field)
	})
	p.found("lookup-fields", pick(len(p.fields) == 0, "works", pick(isSet, "set", "demands")),
		pick(isSet, line, refused), line)
}

// lineOf returns the line of configuration by which each lookup has these fields.
func lineOf(fields []string) string {
	return `lookup_fields = ["` + strings.Join(fields, `", "`) + `"]`
}

// asksCaches takes the responses to the creation of a group, a lookup and an update. A response to a lookup may come
// from a cache. One to an update never does. If it shows another token, the next lookup tells a cache from a service
// that renews tokens.
func (p *probe) asksCaches(ctx context.Context, g *group, made, seen, changed reply) {
	second, sure := seen.UserGroup.Token, changed.UserGroup.Token
	g.token = sure
	p.asksSpelling(g, seen, changed)
	isUnsure := made.existed() && sure.IsZero()
	tokens := tokensOf(made.UserGroup.Token, second, sure)
	if tokens == "renewed" && p.lookUp(ctx, g).UserGroup.Token != sure {
		tokens = ""
	}
	if tokens == "" || isUnsure || seen.IsNew() {
		p.behindCache()
	} else {
		p.signed, p.renewed = tokens == "signed", tokens == "renewed"
		p.found("token", tokens, "")
	}
	if p.trusted = p.failure == nil; p.trusted && sure.IsZero() {
		g.token = second
	}
	p.found("between", pick(made.existed(), "repeated", "none"), "a create that was sent once found an existing group")
}

// asksSpelling takes the responses to a lookup and an update. It ends the probe if the service changes the ID, or does
// not show the token.
func (p *probe) asksSpelling(g *group, seen, changed reply) {
	shown := *cmp.Or(changed.UserGroup.ProvidedID, &g.id)
	switch {
	case changed.isForeign(g):
		p.stop("ids", "changed", printable(shown))
	case shown != g.id:
		p.found("ids", "spelled", printable(shown))
	}
	if strings.ContainsAny(seen.UserGroup.Token.Reveal(), "*\u2022\u2026") {
		p.stop("token", "masked", "")
	}
}

// tokensOf returns what three responses about one group say of its token: that it is the same, signed for each of them,
// or renewed by the update, unless the first two come from a cache. It returns "" if they contradict each other. sure
// comes from the service, or is zero.
func tokensOf(first, second, sure api.Secret) string {
	isSame := sure.IsZero() || sure == first
	return map[[2]bool]string{
		{true, true}: "same", {true, false}: "renewed", {false, false}: "signed",
	}[[2]bool{first == second, isSame}]
}

func (p *probe) asksEnvironment(tag string) {
	switch tag {
	case p.options.Environment:
		p.found("environment", "expected", tag)
	case "":
		if p.options.Environment != NoEnvironment {
			p.stop("environment", "not-shown", "")
		}
		p.found("environment", "none", "")
	default:
		p.stop("environment", "other", printable(tag))
	}
}

// asksDefaults takes the responses to a creation and a lookup without properties. A default name does no harm, because
// every configuration has one.
func (p *probe) asksDefaults(made, seen api.UserGroup) {
	defaults, fields, hasProperties := map[string]bool{}, slices.Clone(p.fields), false
	for _, response := range []api.UserGroup{made, seen} {
		if name := response.Name; name != nil && *name != "" && !p.sends("name") {
			defaults["the name "+printable(*name)] = true
			fields = append(fields, "name")
		}
		if keys := response.Properties.Differences(api.Properties{}); len(keys) > 0 {
			defaults["the properties "+printable(strings.Join(keys, ", "))] = true
			fields, hasProperties = append(fields, "properties"), true
		}
	}
	answer := pick(hasProperties, "some", "none")
	slices.Sort(fields)
	p.found("defaults", pick(seen.ShowsMore(made), "later", answer), those(defaults), lineOf(slices.Compact(fields)))
}

func (p *probe) asksDeletion(ctx context.Context) {
	g, last, asked := p.main(), p.main().token, p.source
	if r := p.erase(ctx, g); r.refused != nil {
		p.stop("delete", "no", r.says())
		return
	}
	p.found("delete", pick(p.source == asked, "yes", "source"), "")
	if !p.mayUpdate {
		return
	}
	r := p.update(ctx, g, g.name, api.Properties{})
	answer := "once"
	for _, wait := range patience {
		if r.UserGroup.Token != last {
			break
		}
		_ = api.Sleep(ctx, wait)
		r, answer = p.update(ctx, g, g.name, api.Properties{}), "later"
	}
	if r.refused == nil {
		if g.token = r.UserGroup.Token; g.token == last {
			p.stop("delete", "ignored", "")
			return
		}
		p.must(p.erase(ctx, g))
	}
	p.found("gone", answer, "")
	p.refusedOr("missing-update", r, "creates")
}

func (p *probe) asksDeletedID(ctx context.Context) {
	g, other := p.main(), p.own("-b")
	number := g.teamID
	next, _ := p.create(ctx, other)
	isReused := p.must(next).UserGroup.TeamID == number
	again := p.lookUpDeleted(ctx, g)
	if again.refused != nil {
		if p.mayCreate(ctx) {
			p.found("deleted-id", "reserved", again.says())
		}
		p.asksLastToken(ctx, other)
		return
	}
	isOld := p.hasSeen(again)
	g.token = again.UserGroup.Token
	wasThere := map[string]bool{"token": isOld}
	if name := again.UserGroup.Name; name != nil && !p.sends("name") {
		wasThere["name"] = strings.HasPrefix(*name, p.stem) && !strings.HasPrefix(*name, g.id) // The ID may be the default.
	}
	revived := those(wasThere)
	isSame := g.teamID == number && !isReused
	p.found("deleted-id", pick(revived != "", "revived", pick(isSame, "same-number", "free")), revived)
	if revived != "" || p.asksStaleDeletion(ctx, g) {
		p.asksLastToken(ctx, other)
	}
	p.must(p.erase(ctx, g)) // It is as new as the group that a lookup creates and removes.
}

// lookUpDeleted looks up the ID of a deleted group. A group that lookups find and updates do not is still the deleted
// one, so lookUpDeleted waits until it is gone.
func (p *probe) lookUpDeleted(ctx context.Context, g *group) (again reply) {
	for _, wait := range patience {
		again = p.lookUp(ctx, g)
		isOld := again.existed() && p.rows["missing-update"].Answer == "refused"
		if !isOld || p.update(ctx, g, g.name, api.Properties{}).refused == nil {
			break
		}
		p.found("gone", "lookups", "")
		_ = api.Sleep(ctx, wait)
	}
	return again
}

// asksLastToken rotates the token of a group, and deletes the group with the one before. Some services accept that for
// a while.
func (p *probe) asksLastToken(ctx context.Context, g *group) {
	if p.mayRotate && p.failure == nil {
		p.must(p.rotate(ctx, g))
		p.asksStaleDeletion(ctx, g)
	}
}

// asksStaleDeletion deletes a group with its token before the current one. It reports whether the service refuses that.
func (p *probe) asksStaleDeletion(ctx context.Context, g *group) bool {
	if p.failure != nil {
		return false
	}
	r := p.delete(ctx, g, g.before())
	gone := false
	if r.refused == nil {
		if seen := p.must(p.lookUp(ctx, g)); seen.IsNew() {
			gone, g.token = true, seen.UserGroup.Token
		}
	}
	p.refusedOr("stale-deletion", r, pick(gone, "accepted", "ignored"))
	return r.refused != nil
}

// hasSeen reports whether a response shows a group that the probe has or had.
func (p *probe) hasSeen(r reply) bool {
	token, repeated := r.UserGroup.Token, p.rows["between"].Answer == "repeated"
	return r.refused == nil && (r.existed() && !repeated || slices.ContainsFunc(p.groups, func(g *group) bool {
		return g.token == token || slices.Contains(g.old, token)
	}))
}

// create creates a group with a name. It reports whether the probe has the group under another ID.
func (p *probe) create(ctx context.Context, g *group) (r reply, same bool) {
	r = p.get(ctx, g, g.name)
	same = p.hasSeen(r)
	g.token, g.made = r.UserGroup.Token, g.made && !same
	return r, same
}

// asksIDs creates a group beside the one of the step before.
func (p *probe) asksIDs(ctx context.Context) {
	if _, known := p.rows["ids"]; known {
		return
	}
	r, same := p.create(ctx, p.own("-B"))
	if r.refused == nil || p.mayCreate(ctx) {
		p.refusedOr("ids", r, pick(same, "same", "exact"))
	}
}

// mayCreate reports whether a group can be created that has nothing special, so that a refusal before was for what was
// special. An account may be full.
func (p *probe) mayCreate(ctx context.Context) bool {
	r, _ := p.create(ctx, p.own("-plain"))
	return r.refused == nil
}
