package emulator

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// notShown are the fields that the responses to an operation lack (interface section 2.2).
var notShown = map[string][]string{
	http.MethodGet: {"mapping"}, http.MethodPut: {"mapping"}, http.MethodPost: {"mapping", "properties"},
}

// TestEveryFieldIsTreatedLikeTheOthers names the places where a field that a caller gives to a group is forgotten.
func TestEveryFieldIsTreatedLikeTheOthers(t *testing.T) {
	t.Parallel()
	for member := range reflect.TypeFor[request]().Fields() {
		name := member.Tag.Get("json")
		if _, isThere := accepted[name]; !isThere && member.IsExported() {
			t.Errorf("%s of request, named %q, is forgotten in accepted", member.Name, name)
		}
	}
	for field, its := range accepted {
		isSent := slices.ContainsFunc(lookupOrUpdate, func(m string) bool { return slices.Contains(its.methods, m) })
		if !isSent || field == "user_group_id" {
			continue
		}
		value, empty := `"x"`, `""`
		if field == "mapping" || field == "properties" {
			value, empty = `{"x":"y"}`, `{}`
		}
		with := func(value string) string { return fmt.Sprintf(`{"user_group_id":"acme",%q:%s}`, field, value) }
		const without = `{"user_group_id":"acme"}`
		member := fmt.Sprintf("%q:%s", field, value)
		// play makes calls on a new service, each a method and a body. It returns the last response and the group.
		play := func(options Options, calls ...string) (answer string, group Group) {
			e := New(options)
			for i := 0; i < len(calls); i += 2 {
				body := strings.Replace(calls[i+1], "TOKEN", group.Token, 1)
				r := httptest.NewRequestWithContext(t.Context(), calls[i], "/api/user", strings.NewReader(body))
				r.Header.Set("Authorization", "Token "+DefaultKey)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				e.ServeHTTP(w, r)
				answer = fmt.Sprint(w.Code, " ", w.Body)
				group, _ = e.In("Customer").Group("acme")
			}
			return answer, group
		}
		const get, put, post = http.MethodGet, http.MethodPut, http.MethodPost
		created, group := play(Options{}, get, with(value))
		bare := Group{ID: group.ID}
		updated, changed := play(Options{}, get, without, put, with(value))
		rotated, _ := play(Options{}, get, with(value), post, `{"current_token":"TOKEN"}`)
		echoed, _ := play(Options{Answers: AnswersEcho}, get, without, put, with(value))
		silent, _ := play(Options{Answers: AnswersEcho}, get, with(value), put, without)
		_, cleared := play(Options{Updates: UpdatesClear}, get, with(value), put, without)
		cleaned, emptied := play(Options{}, get, with(value), put, with(empty))
		mistyped, _ := play(Options{}, get, with("[]"))
		_, kept := play(Options{EmptyIsAbsent: true}, get, with(value), put, with(empty))
		required := Options{RequiredToUpdate: []string{field}}
		refused, _ := play(required, get, without, put, without)
		accepted, _ := play(required, get, without, put, with(value))
		shows := func(method, answer string) bool {
			return strings.Contains(answer, member) != slices.Contains(notShown[method], field)
		}
		for place, isRight := range map[string]bool{
			"accepted, for GET":               strings.HasPrefix(created, "200"),
			"accepted, for PUT":               strings.HasPrefix(updated, "200"),
			"accepted, of what is empty":      strings.HasPrefix(cleaned, "200"),
			"accepted, of the wrong type":     strings.HasPrefix(mistyped, "400"),
			"save and applied, or has":        !group.has(bare) && !changed.has(bare),
			"cleared":                         cleared.has(bare),
			"applied, of what is empty":       !emptied.has(group),
			"withoutEmpty":                    kept.has(group),
			"userGroup, of GET":               shows(get, created),
			"userGroup, of PUT":               shows(put, updated),
			"userGroup or omitted, of POST":   shows(post, rotated),
			"userGroup, which echoes":         shows(put, echoed),
			"userGroup, which does not echo":  !strings.Contains(silent, member),
			"request.has, which it lacks":     strings.Contains(refused, "400"),
			"request.has, which it satisfies": strings.Contains(accepted, "200"),
		} {
			if !isRight {
				t.Errorf("%s is forgotten in %s", field, place)
			}
		}
	}
}
