package usergroup_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// world is the service, the network, and another actor that works on the same group. It chooses at each attempt of a
// call what happens.
type world struct {
	situation
	record
	*emulator.Emulator

	// choices selects what happens. If it is nil, script does, which names the mishap of each attempt, and the events.
	choices *choices
	script  []string
	// stop ends the run.
	stop context.CancelFunc

	// late is the work of lost attempts that the service does after the next attempt.
	late []func()
	// last is the work of lost attempts that the service does after the operation.
	last []func()
	// answers are the successful responses to GETs so far, as a cache would keep them.
	answers []reply
	// lasting befalls every further attempt that it can befall, or is nil.
	lasting *mishap
	// byBody, if not nil, caches the responses to GETs by request body.
	byBody map[string]reply
	// befell are the mishaps and events so far.
	befell []string
	// neighbor is the response to the creation of another group.
	neighbor reply
	// makers maps the team_id of a group to its maker.
	makers map[int64]maker
	// handed is the last new token that a rotation has returned to the provider.
	handed string
	// undone is the group as it was before the last rotation, or nil.
	undone *emulator.Group
	// oldUpdates is how many updates got an old response.
	oldUpdates int
	// lost is how many rotations the service has lost.
	lost int
	// renamed reports whether the other actor has renamed the group.
	renamed bool
	// taken is the team_id of a placeholder that the other actor has just renamed, or 0. Only the next lookup can show
	// that it is no longer empty.
	taken int64
	// shown maps the team_id of each live group that a response has shown to whether one has shown its name.
	shown map[int64]bool
	// cached reports whether a GET got an old response. Responses from byBody do not count.
	cached bool
}

type maker string

const (
	before  maker = "before"  // the group existed at the start
	another maker = "another" // the other actor created it
	lookup  maker = "lookup"  // a lookup of the provider created it, so it is a placeholder
	ours    maker = "ours"    // the provider was asked to create it
)

// mishap is one thing that can happen to an attempt, or between two.
type mishap struct {
	name    string
	methods string // to which it can happen; empty for all
	// twin means that the caller cannot distinguish this mishap from another one. It is tried only in histories without
	// other mishaps and, if no history has more than one, with one reading.
	twin bool
	// possible reports whether it can happen now; nil means always.
	possible func(*world) bool
	do       func(w *world, r *http.Request) reply
	between  func(*world) // what another actor, the service or the user does
}

// oldAnswer is the mishap of a call that changes something and is not carried out, but gets an old response.
const oldAnswer = "answered with an old answer"

// keptAnswer is the mishap of a response that was right when it was first sent, and that every further GET gets.
const keptAnswer = "an answer that a cache keeps"

var mishaps = []mishap{
	{name: "answered", do: (*world).answer},
	{name: "refused 400", do: gets(refusal(http.StatusBadRequest, ""))},
	{name: "refused 401", do: gets(refusal(http.StatusUnauthorized, ""))},
	{name: "refused 403", do: gets(refusal(http.StatusForbidden, ""))},
	{name: "lost before the work", do: gets(lost)},
	{name: "lost after the work", do: done(gets(lost))},
	{name: "lost, and done after the next call", do: func(w *world, r *http.Request) reply {
		w.late = append(w.late, func() { w.answer(r) })
		return lost
	}},
	{name: "success alone", methods: "GET", do: altered(func(body []byte) []byte {
		return body[:bytes.IndexByte(body, ',')]
	})},
	{name: "half an answer", methods: "GET POST PUT", do: altered(func(body []byte) []byte {
		return body[:len(body)*2/3]
	})},
	{name: "an answer without token", methods: "GET POST PUT", do: altered(func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"token"`), []byte(`"tok"`), 1)
	})},
	{name: "an old answer", methods: "GET", do: (*world).answerFromCache},
	{name: "the oldest answer", methods: "GET", possible: (*world).hasOlder, do: func(w *world, _ *http.Request) reply {
		w.cached = true
		return w.answers[0]
	}},
	{name: "old answers from now on", methods: "GET", do: func(w *world, r *http.Request) reply {
		last := w.answerFromCache(r)
		w.lasting = &mishap{name: "an old answer", methods: "GET", do: gets(last)}
		return last
	}},
	{name: keptAnswer, methods: "GET", possible: (*world).creates, do: func(w *world, r *http.Request) reply {
		right := w.answer(r)
		w.lasting = &mishap{name: keptAnswer, methods: "GET", do: gets(right)}
		return right
	}},
	{name: "an old answer from a cache that expires then", methods: "GET", do: func(w *world, _ *http.Request) reply {
		w.byBody = map[string]reply{}
		w.cached = len(w.answers) > 1 // It is a response to a lookup, and not to the creation of the group.
		return w.answers[len(w.answers)-1]
	}},
	{name: "no answers from now on", do: func(w *world, _ *http.Request) reply {
		w.lasting = &mishap{name: "no answer", do: gets(lost)}
		return lost
	}},
	{name: "an old answer about the neighbor", methods: "GET POST PUT", do: (*world).answerAboutNeighbor},
	{name: "done, and answered about the neighbor", methods: "POST PUT", do: done((*world).answerAboutNeighbor)},
	{name: oldAnswer, methods: "POST PUT", do: (*world).answerOld},
	{name: "done, and " + oldAnswer, methods: "POST PUT", do: done((*world).answerOld)},
	{name: "lost, and done at the end", twin: true, do: func(w *world, r *http.Request) reply {
		w.last = append(w.last, func() { w.answer(r) })
		return lost
	}},
	{name: "refused 404", twin: true, do: gets(refusal(http.StatusNotFound, ""))},
	{name: "refused 409", twin: true, do: gets(refusal(http.StatusConflict, ""))},
	{name: "success 0", twin: true, do: gets(refusal(http.StatusOK, ""))},
	{name: "429", twin: true, do: gets(refusal(http.StatusTooManyRequests, ""))},
	{name: "500", twin: true, do: gets(refusal(http.StatusInternalServerError, ""))},
	{name: "503", twin: true, do: gets(refusal(http.StatusServiceUnavailable, ""))},
	{name: "unreadable", twin: true, do: altered(func([]byte) []byte { return []byte("<html>") })},
}

// answerFromCache repeats the last response to a GET.
func (w *world) answerFromCache(*http.Request) reply {
	w.cached = true
	return w.answers[len(w.answers)-1]
}

// answerOld replaces the response to a call that changes something by the last one to a GET.
func (w *world) answerOld(r *http.Request) reply {
	if r.Method == http.MethodPut {
		w.oldUpdates++
	}
	return w.answers[len(w.answers)-1]
}

func (w *world) answerAboutNeighbor(*http.Request) reply { return w.neighbor }

// done is the mishap of a call that is carried out and then answered in another way.
func done(answer func(*world, *http.Request) reply) func(*world, *http.Request) reply {
	return func(w *world, r *http.Request) reply {
		w.answer(r)
		return answer(w, r)
	}
}

// gets is the mishap of a call that is not carried out.
func gets(r reply) func(*world, *http.Request) reply {
	return func(*world, *http.Request) reply { return r }
}

func altered(alter func([]byte) []byte) func(*world, *http.Request) reply {
	return func(w *world, r *http.Request) reply {
		answer := w.answer(r)
		answer.body = alter(answer.body)
		return answer
	}
}

func (m *mishap) suits(method string) bool {
	return m.methods == "" || strings.Contains(m.methods, method)
}

// hasOlder reports whether the oldest answer differs from the latest one.
func (w *world) hasOlder() bool { return len(w.answers) > 1 }

func (w *world) creates() bool { return w.operation.creates }

// events can happen between two attempts.
var events = []mishap{
	{name: "nothing", between: func(*world) {}},
	{name: "another actor rotates", possible: (*world).exists, between: func(w *world) { w.RotateBehind(id) }},
	{name: "another actor renames", possible: (*world).exists, between: func(w *world) {
		w.Change(id, func(g *emulator.Group) { g.Name = "Renamed elsewhere" })
		w.renamed = true
		if group, _ := w.Group(id); w.makers[group.TeamID] == lookup && !w.reading.hidesNames {
			w.taken = group.TeamID
		}
	}},
	{name: "another actor deletes", possible: (*world).exists, between: func(w *world) { w.Remove(id) }},
	{name: "another actor replaces", possible: (*world).exists, between: func(w *world) {
		w.makers[w.Replace(id).TeamID] = another
	}},
	{name: "another actor creates", possible: (*world).isAbsent, between: func(w *world) {
		w.makers[w.Seed(emulator.Group{ID: id, Name: "Created elsewhere"}).TeamID] = another
	}},
	{name: "the service loses a rotation", possible: (*world).canRestore, between: (*world).restore},
	{name: "the run is stopped", between: func(w *world) { w.stop() }},
}

func (w *world) exists() bool {
	_, exists := w.Group(id)
	return exists
}

func (w *world) isAbsent() bool { return !w.exists() }

// canRestore reports whether the service can be restored to the time before the last rotation.
func (w *world) canRestore() bool {
	group, exists := w.Group(id)
	return exists && w.undone != nil && w.undone.TeamID == group.TeamID && w.undone.Token != group.Token
}

func (w *world) restore() {
	w.Change(id, func(g *emulator.Group) { g.Token = w.undone.Token })
	w.lost++
}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	connected(r)
	kept, body := received(r.WithContext(context.Background())) // The service may carry it out later.
	if isOfCheck(body) {
		// An event during the check of the service has the same effect as one before or after it.
		w.tell("for the check of the service,")
	} else {
		w.precede()
	}
	befalls := w.befalls(r.Method)
	method := r.Method
	w.events = append(w.events, func() string { return method + " " + befalls.name })
	if befalls.name != "answered" {
		w.befell = append(w.befell, befalls.name)
	}
	late := w.late
	w.late = nil
	remembering := r.Method == http.MethodGet && w.byBody != nil
	response, fromCache := w.byBody[string(body)]
	if !remembering || !fromCache {
		response = befalls.do(w, kept)
	}
	if remembering && !response.lost {
		w.byBody[string(body)] = response
	}
	if r.Method == http.MethodGet && !response.lost && response.status == http.StatusOK && befalls.name != "success 0" {
		w.answers = append(w.answers, response)
	}
	group, there := w.Group(id)
	has := func(text string) bool { return text != "" && bytes.Contains(response.body, []byte(`"`+text+`"`)) }
	if there && !response.lost && w.makers[group.TeamID] != lookup && has(group.Token) {
		w.shown[group.TeamID] = w.shown[group.TeamID] || has(group.Name)
	}
	isNew := there && w.undone != nil && w.undone.Token != group.Token
	if isNew && r.Method == http.MethodPost && bytes.Contains(response.body, []byte(`"token":"`+group.Token+`"`)) {
		w.handed = group.Token
	}
	for _, work := range late {
		work()
	}
	// A deletion that is under way does not know what this response has shown.
	group, there = w.Group(id)
	if there && group.TeamID == w.taken && r.Method == http.MethodGet && has(group.Name) {
		w.makers[w.taken], w.taken = another, 0
	}
	return response.response()
}

// precede lets something happen before an attempt.
func (w *world) precede() {
	if happens := w.choose(events, func(*mishap) bool { return true }); happens.name != "nothing" {
		w.tell("(%s)", happens.name)
		happens.between(w)
		w.befell = append(w.befell, happens.name)
	}
}

// befalls returns what happens to an attempt.
func (w *world) befalls(method string) *mishap {
	if w.lasting != nil && w.lasting.suits(method) {
		return w.lasting
	}
	twins := w.choices != nil && w.twins && w.choices.mishaps() == 0
	chosen := w.choose(mishaps, func(m *mishap) bool { return m.suits(method) && (twins || !m.twin) })
	if w.choices != nil {
		w.choices.alone = w.choices.alone || chosen.twin
	}
	return chosen
}

// choose returns one of the options that are possible. When the script has ended, all goes well.
func (w *world) choose(options []mishap, suits func(*mishap) bool) *mishap {
	can := make([]*mishap, 0, len(options))
	for i := range options {
		option := &options[i]
		if w.choices == nil && len(w.script) > 0 && option.name == w.script[0] {
			w.script = w.script[1:]
			return option
		}
		if suits(option) && (option.possible == nil || option.possible(w)) {
			can = append(can, option)
		}
	}
	if w.choices == nil {
		return can[0]
	}
	return can[w.choices.choose(len(can))]
}

// answer lets the service carry out the request, and records the maker of a new group.
func (w *world) answer(r *http.Request) reply {
	group, _ := w.Group(id)
	response, call := serve(w.Emulator, r)
	switch {
	case call.Rotated:
		w.undone = &group
	case call.Created && isLookup(call):
		w.makers[call.TeamID] = lookup
	case call.Created:
		w.makers[call.TeamID] = ours
	}
	return response
}
