package usergroup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// fault is one thing that goes wrong with an attempt of a call, or that another client does just before it.
type fault struct {
	name string
	// methods are those of the attempts that it can befall, or empty for all.
	methods string
	// transient means that an operation recovers from it.
	transient bool
	// twin means that an operation can hardly distinguish it from another one, so that no second fault is of this kind.
	twin bool
	// possible reports whether it can happen now, and makes a difference; nil means always.
	possible func(*history) bool
	// before happens before the attempt, which then gets its response. Otherwise, do returns the response.
	before func(*history)
	do     func(*history, *http.Request) reply
}

var faults = []fault{
	{name: "lost before the work", transient: true, do: gets(lost)},
	{name: "lost after the work", transient: true, do: worked(func(reply) reply { return lost })},
	{name: "late", transient: true, do: func(h *history, r *http.Request) reply {
		h.late = append(h.late, r)
		return lost
	}},
	{name: "500 before the work", transient: true, twin: true, do: gets(refusal(http.StatusInternalServerError))},
	{name: "500 after the work", transient: true, do: worked(func(reply) reply {
		return refusal(http.StatusInternalServerError)
	})},
	{name: "429", transient: true, do: gets(refusal(http.StatusTooManyRequests))},
	{name: "503", transient: true, do: gets(refusal(http.StatusServiceUnavailable))},
	{name: "half a response", transient: true, twin: true, do: worked(func(r reply) reply {
		r.body = r.body[:len(r.body)*2/3]
		return r
	})},
	{name: "no token", methods: "GET PUT POST", do: withoutToken},
	{name: "403", do: gets(refusal(http.StatusForbidden))},
	// PUT, POST and DELETE have connections of their own, on which no other response can arrive.
	{name: "response to another lookup", methods: "GET", do: func(h *history, r *http.Request) reply {
		serve(h, r)
		return h.lookUp("neighbor")
	}},
	{name: "response to another creation", methods: "GET", do: func(h *history, r *http.Request) reply {
		serve(h, r)
		return isNew(h.lookUp("neighbor"))
	}},
	{name: "another client deletes", possible: (*history).exists, before: func(h *history) { h.Remove(id) }},
	{name: "another client rotates", possible: (*history).exists, before: func(h *history) {
		h.RotateBehind(id)
		h.seen()
	}},
	{name: "another client replaces", possible: (*history).exists, before: func(h *history) {
		h.Remove(id)
		h.made(h.Seed(emulator.Group{ID: id, Name: "Theirs"}), another)
	}},
	{name: "another client takes", before: func(h *history) {
		if !h.exists() {
			h.made(h.Seed(emulator.Group{ID: id, Name: "Theirs"}), another)
			return
		}
		h.Change(id, func(g *emulator.Group) { g.Name = "Theirs" })
		h.renamed = true
		if group, _ := h.Group(id); h.makers[group.TeamID] == lookup {
			h.made(group, another)
			h.taken = group.TeamID
		}
	}},
	// A cache has the response to the creation of the group by a lookup. It ignores bodies, or does not.
	{name: "a cache by address", possible: (*history).isBeginning, before: func(h *history) {
		h.cached = func(string) string { return "" }
	}},
	{name: "a cache by body", possible: (*history).isBeginning, before: func(h *history) {
		h.cached = func(body string) string { return body }
	}},
}

// gets is the fault of a call that is not carried out.
func gets(r reply) func(*history, *http.Request) reply {
	return func(*history, *http.Request) reply { return r }
}

// worked is the fault of a call that is carried out, and whose response changes on the way.
func worked(change func(reply) reply) func(*history, *http.Request) reply {
	return func(h *history, r *http.Request) reply { return change(serve(h, r)) }
}

// rewritten is the fault of a call that is carried out, and whose response has other texts: each first one of a pair is
// replaced by the second, once.
func rewritten(pairs ...string) func(*history, *http.Request) reply {
	return worked(func(r reply) reply {
		for pair := range slices.Chunk(pairs, 2) {
			r.body = bytes.Replace(r.body, []byte(pair[0]), []byte(pair[1]), 1)
		}
		return r
	})
}

var withoutToken = rewritten(`"token"`, `"tok"`)

func (h *history) exists() bool {
	_, there := h.Group(id)
	return there
}

func (h *history) isBeginning() bool { return h.attempts == 0 }

// RoundTrip implements http.RoundTripper. It makes one attempt of a call.
func (h *history) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.attempts > mostAttempts {
		h.breaks(ruleEnds, "it makes more than %d attempts", mostAttempts)
		return lost.response()
	}
	kept, body := copied(r)
	f, late := h.fault(r.Method, isOfPreflight(body)), h.late
	h.late = nil
	h.attempts++
	attempt := r.Method
	if isOfPreflight(body) {
		attempt += " test"
	}
	if f != nil {
		attempt += " " + f.name
	}
	h.log = append(h.log, attempt)
	if f != nil {
		h.faults = append(h.faults, befallen{f.name, r.Method})
		h.transient = h.transient && f.transient
		h.tell("(%s)", h.faults[len(h.faults)-1])
	}
	if f != nil && f.name == "no connection" {
		return nil, errors.New("connection refused")
	}
	connect(r)
	if f != nil && f.before != nil {
		h.acted = h.acted || strings.HasPrefix(f.name, "another client")
		f.before(h)
	}
	var answer reply
	switch {
	case f != nil && f.do != nil:
		answer = f.do(h, kept)
	case r.Method == http.MethodGet && h.cached != nil:
		answer = h.answerFromCache(kept, body)
	default:
		answer = h.serve(r.Context(), kept)
	}
	for _, work := range late {
		serve(h, work)
	}
	if bytes.Contains(answer.body, []byte(`"Theirs"`)) {
		h.taken = 0
	}
	if r.Method == http.MethodPost && json.Valid(answer.body) {
		h.handed = tokenIn(answer.body)
	}
	if answer.status == silence.status {
		return nil, r.Context().Err()
	}
	return answer.response()
}

// serve lets the service do the work, for as long as the client waits. The service does not stop then.
func (h *history) serve(ctx context.Context, r *http.Request) reply {
	if variants[h.variant].RotationTime == 0 {
		return serve(h, r)
	}
	answers := make(chan reply, 1)
	go func() { answers <- serve(h, r) }()
	select {
	case answer := <-answers:
		return answer
	case <-ctx.Done():
		return silence
	}
}

// fault returns the fault that befalls the next attempt, or nil. What another client does during the preflight has the
// same effect before or after it.
func (h *history) fault(method string, preflight bool) *fault {
	if h.script != nil {
		return h.scripted()
	}
	if len(h.faults) >= h.budget {
		return nil
	}
	can := []*fault{nil}
	for i := range faults {
		f := &faults[i]
		switch {
		case f.methods != "" && !strings.Contains(f.methods, method), f.possible != nil && !f.possible(h),
			f.twin && len(h.faults) > 0, preflight && strings.HasPrefix(f.name, "another client"),
			!isSampled(h.record.scene, h.attempts+i):
		default:
			can = append(can, f)
		}
	}
	return can[h.choices.choose(len(can))]
}

// scripted are faults that are not searched for.
var scripted = []fault{
	{name: "the run is stopped", before: func(h *history) { h.stop() }}, // Terraform may be stopped at any time.
	{
		name: "the run is stopped and the response lost", before: func(h *history) { h.stop() },
		do: worked(func(reply) reply { return lost }),
	},
	{name: "the run is stopped and the token left out", before: func(h *history) { h.stop() }, do: withoutToken},
	{name: "another client deletes and the token left out", before: func(h *history) { h.Remove(id) }, do: withoutToken},
	{name: "no connection"},
	{name: "303 after the work", do: worked(func(reply) reply { return page(http.StatusSeeOther) })},
	{name: "an old response", do: worked(func(r reply) reply {
		r.age = "12"
		return r
	})},
	{name: "an empty success", do: gets(reply{status: http.StatusOK})},
	{name: "success in other words", do: worked(func(reply) reply {
		return reply{status: http.StatusOK, body: []byte(`{"message":"deleted"}`)}
	})},
	{name: "a success without a group", do: gets(reply{status: http.StatusOK, body: []byte(`{"success":1}`)})},
	{name: "refused after the work", do: worked(func(reply) reply { return refusal(http.StatusForbidden) })},
	// From a cache:
	{name: "response to its creation", do: worked(isNew)},
	{name: "response to the creation of the known one", do: func(h *history, r *http.Request) reply {
		serve(h, r)
		return h.creation
	}},
	{name: "400", do: gets(refusal(http.StatusBadRequest))},
	{name: "403 of a gateway", do: gets(page(http.StatusForbidden))},
	{name: "404", do: gets(refusal(http.StatusNotFound))},
	{name: "409", do: gets(refusal(http.StatusConflict))},
	{name: "403 with Retry-After", do: gets(reply{status: http.StatusForbidden, body: refused, retryAfter: "7"})},
	{name: "another ID", do: rewritten(`"provided_id":"`+id, `"provided_id":"renamed`)},
	{name: "no mark", do: rewritten(`"new_user_group"`, `"new_group"`)},
	{name: "an empty ID", do: rewritten(`"provided_id":"`+id+`"`, `"provided_id":""`)},
	{name: "a name made of the ID", do: rewritten(`"name":null`, `"name":"`+id+`"`)},
	{name: "neither name nor properties", do: rewritten(`"name"`, `"nom"`, `"properties"`, `"props"`)},
	{name: "another tag", do: rewritten(`"Customer"`, `"Testing"`)},
	{name: "another number", do: worked(func(r reply) reply {
		r.body = regexp.MustCompile(`"team_id":\d+`).ReplaceAll(r.body, []byte(`"team_id":1`))
		return r
	})},
	{name: "response about another group", do: func(h *history, r *http.Request) reply {
		serve(h, r)
		return h.lookUp("neighbor")
	}},
	{name: "another name", do: rewritten(newName, "ACME INC.")},
	{name: "other properties", do: rewritten(`"gold"`, `"bronze"`)},
}

// scripted returns the fault that the script has for the next attempt.
func (h *history) scripted() *fault {
	if len(h.script) == 0 {
		return nil
	}
	name := h.script[0]
	h.script = h.script[1:]
	if name == "" {
		return nil
	}
	all := slices.Concat(faults, scripted)
	return &all[slices.IndexFunc(all, func(f fault) bool { return f.name == name })]
}

// answerFromCache answers a GET from the cache, or else lets the service do it.
func (h *history) answerFromCache(r *http.Request, body string) reply {
	if h.cache == nil {
		h.cache = map[string]reply{
			h.cached(`{"user_group_id":"` + id + `"}`):                     h.creation,
			h.cached(`{"user_group_id":"` + id + `","name":"` + id + `"}`): h.creation,
		}
	}
	key := h.cached(body)
	if kept, there := h.cache[key]; there {
		return kept
	}
	h.cache[key] = serve(h, r)
	return h.cache[key]
}

// tokenIn returns the token in a response, or "".
func tokenIn(body []byte) string {
	_, after, _ := strings.Cut(string(body), `"token":"`)
	token, _, _ := strings.Cut(after, `"`)
	return token
}
