package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const rawProperties = `{ "big":9007199254740993,"f":1.0, "html":"<&>\u00e9", "deep":{"z":null,"a":[1 ,2]}}`

func TestGetCreatesOnceAndNeverChanges(t *testing.T) {
	e, c := start(t, emulator.Options{})
	first := c.succeed(t, "GET", `{"name":"Acme","user_group_id":"acme","mapping":{"s":"d"},"properties":`+rawProperties+`}`)
	if first.IsNew == nil || !*first.IsNew {
		t.Error("the first GET did not say that it created")
	}
	if !regexp.MustCompile(`^ugt_[A-Z2-7]{32,}$`).MatchString(text(first.Group.Token)) {
		t.Errorf("token %q", text(first.Group.Token))
	}
	if first.Group.TeamID != "1001" || text(first.Group.Name) != "Acme" || text(first.Group.ProvidedID) != "acme" {
		t.Errorf("answered %+v", first.Group)
	}

	before := mustGroup(t, e.Environment, "acme")
	again := c.succeed(t, "GET", `{"name":"Other","user_group_id":"acme","mapping":{"x":"y"},"properties":{"other":1}}`)
	if again.IsNew == nil || *again.IsNew {
		t.Error("the second GET did not say that the group existed")
	}
	if text(again.Group.Name) != "Acme" || text(again.Group.Token) != before.Token {
		t.Errorf("answered %+v", again.Group)
	}
	after := mustGroup(t, e.Environment, "acme")
	if after.Name != "Acme" || !maps.Equal(after.Mapping, map[string]string{"s": "d"}) || string(after.Properties) != rawProperties {
		t.Errorf("a GET changed the group: %+v", after)
	}
	if e.Count("GET") != 2 || e.Creations("acme") != 1 {
		t.Errorf("%d GETs, %d creations", e.Count("GET"), e.Creations("acme"))
	}
	if second := c.succeed(t, "GET", byID("other")); second.Group.TeamID != "1002" || text(second.Group.Name) != "<null>" {
		t.Errorf("the second group: %+v", second.Group)
	}
}

func TestPropertiesSurviveByteForByte(t *testing.T) {
	_, c := start(t, emulator.Options{})
	for _, method := range []string{"GET", "PUT"} {
		got := c.send(method, `{"user_group_id":"acme","properties":`+rawProperties+`}`)
		if !strings.Contains(got.raw, `"properties":`+rawProperties) {
			t.Errorf("%s answered %s", method, got.raw)
		}
	}
}

func TestTextIsNotEscapedMoreThanNeeded(t *testing.T) {
	e, c := start(t, emulator.Options{})
	got := c.send("GET", `{"user_group_id":"\u003c&>","name":"\"<\u00e9\u0000>\""}`)
	if !strings.Contains(got.raw, `"name":"\"<é\u0000>\"","provided_id":"<&>"`) {
		t.Errorf("answered %s", got.raw)
	}
	if group := mustGroup(t, e.Environment, "<&>"); group.Name != "\"<é\x00>\"" {
		t.Errorf("stored %q", group.Name)
	}
}

func TestPutUpdatesOnlyWhatIsGiven(t *testing.T) {
	full := emulator.Group{
		ID: "acme", Name: "Acme", Token: "tok", TeamID: 7,
		Mapping: map[string]string{"a": "1", "b": "2"}, Properties: json.RawMessage(`{"a":1, "b":{"x":1}}`),
	}
	for _, test := range []struct {
		name, given    string
		updates        emulator.Updates
		wantName       string
		wantMapping    map[string]string
		wantProperties string
	}{
		{"nothing", ``, emulator.UpdatesReplace, "Acme", full.Mapping, `{"a":1, "b":{"x":1}}`},
		{"name", `,"name":"New"`, emulator.UpdatesReplace, "New", full.Mapping, `{"a":1, "b":{"x":1}}`},
		{"replaced mapping", `,"mapping":{"c":"3"}`, emulator.UpdatesReplace, "Acme", map[string]string{"c": "3"}, `{"a":1, "b":{"x":1}}`},
		{"emptied mapping", `,"mapping":{}`, emulator.UpdatesReplace, "Acme", map[string]string{}, `{"a":1, "b":{"x":1}}`},
		{"replaced properties", `,"properties":{"c": 3}`, emulator.UpdatesReplace, "Acme", full.Mapping, `{"c": 3}`},
		{"emptied properties", `,"properties":{}`, emulator.UpdatesReplace, "Acme", full.Mapping, `{}`},
		{"merged nothing", ``, emulator.UpdatesMerge, "Acme", full.Mapping, `{"a":1, "b":{"x":1}}`},
		{"merged mapping", `,"mapping":{"b":"9","c":"3"}`, emulator.UpdatesMerge, "Acme", map[string]string{"a": "1", "b": "9", "c": "3"}, `{"a":1, "b":{"x":1}}`},
		{"merged empty", `,"mapping":{},"properties":{}`, emulator.UpdatesMerge, "Acme", full.Mapping, `{"a":1, "b":{"x":1}}`},
		{"merged properties", `,"properties":{"b":{"y":9007199254740993},"a":null,"c":"<"}`, emulator.UpdatesMerge, "Acme", full.Mapping, `{"a":null,"b":{"y":9007199254740993},"c":"<"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, c := start(t, emulator.Options{Updates: test.updates})
			e.Seed(full)
			got := c.succeed(t, "PUT", `{"user_group_id":"acme"`+test.given+`}`)
			group := mustGroup(t, e.Environment, "acme")
			if group.Name != test.wantName || !maps.Equal(group.Mapping, test.wantMapping) || string(group.Properties) != test.wantProperties {
				t.Errorf("stored %q %v %s", group.Name, group.Mapping, group.Properties)
			}
			if text(got.Group.Name) != test.wantName || string(got.Group.Properties) != test.wantProperties {
				t.Errorf("answered %q %s", text(got.Group.Name), got.Group.Properties)
			}
			if text(got.Group.Token) != "tok" || got.Group.TeamID != "7" || string(got.Group.Environment) != `"Customer"` || got.IsNew != nil {
				t.Errorf("answered %+v", got)
			}
			if e.Updates("acme") != 1 || e.Creations("acme") != 0 {
				t.Errorf("%d updates, %d creations", e.Updates("acme"), e.Creations("acme"))
			}
		})
	}
}

func TestMergeIntoNothing(t *testing.T) {
	e, c := start(t, emulator.Options{Updates: emulator.UpdatesMerge})
	e.Seed(emulator.Group{ID: "acme"})
	c.succeed(t, "PUT", `{"user_group_id":"acme","mapping":{"a":"1"},"properties":{"n": 1}}`)
	group := mustGroup(t, e.Environment, "acme")
	if !maps.Equal(group.Mapping, map[string]string{"a": "1"}) || string(group.Properties) != `{"n": 1}` {
		t.Errorf("stored %v %s", group.Mapping, group.Properties)
	}
}

func TestPostRotates(t *testing.T) {
	e, c := start(t, emulator.Options{})
	seeded := e.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{}`)})
	got := c.send("POST", byToken(seeded.Token))
	parsed := got.mustParse(t)
	now := mustGroup(t, e.Environment, "acme").Token
	if now == seeded.Token || text(parsed.Group.Token) != now {
		t.Errorf("old %q, answered %q, stored %q", seeded.Token, text(parsed.Group.Token), now)
	}
	want := fmt.Sprintf(`{"success":1,"user_group":{"team_id":1001,"token":%q,"name":"Acme","provided_id":"acme","api_environment_tag":"Customer"}}`, now)
	if got.raw != want {
		t.Errorf("answered %s\nwant     %s", got.raw, want)
	}

	c.refused(t, "POST", byToken(seeded.Token), http.StatusNotFound, "current_token")
	c.refused(t, "POST", byToken("never-seen"), http.StatusNotFound, "current_token")
	if e.Rotations("acme") != 1 || mustGroup(t, e.Environment, "acme").Token != now {
		t.Errorf("%d rotations", e.Rotations("acme"))
	}
	stale := e.Calls()[1]
	if stale.ID != "acme" || stale.Rotated || stale.Refused == "" {
		t.Errorf("the stale token's call was recorded as %+v", stale)
	}
}

func TestDelete(t *testing.T) {
	for _, test := range []struct {
		name, body string
		status     int
		naming     string
	}{
		{"by token", `{"current_token":"tok-a"}`, 200, ""},
		{"by id", `{"user_group_id":"a"}`, 200, ""},
		{"by both", `{"current_token":"tok-a","user_group_id":"a"}`, 200, ""},
		{"with a data source", `{"current_token":"tok-a","data_source_provided_id":"d"}`, 200, ""},
		{"of another group", `{"current_token":"tok-a","user_group_id":"b"}`, 409, "user_group_id"},
		{"with a stale token", `{"current_token":"tok-old","user_group_id":"a"}`, 404, "current_token"},
		{"with an unknown token", `{"current_token":"tok-x"}`, 404, "current_token"},
		{"of an absent id", `{"user_group_id":"x"}`, 404, "user_group_id"},
		{"by the data source alone", `{"data_source_provided_id":"d"}`, 400, "current_token"},
		{"of nothing", `{}`, 400, "user_group_id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, c := start(t, emulator.Options{})
			e.Seed(emulator.Group{ID: "a", Token: "tok-old"})
			e.Change("a", func(g *emulator.Group) { g.Token = "tok-a" })
			e.Seed(emulator.Group{ID: "b", Token: "tok-b"})
			if test.status != 200 {
				c.refused(t, "DELETE", test.body, test.status, test.naming)
				if len(e.Groups()) != 2 || e.Deletions("a") != 0 {
					t.Errorf("a refused DELETE left %d groups", len(e.Groups()))
				}
				return
			}
			if got := c.send("DELETE", test.body); got.raw != `{"success":1}` {
				t.Errorf("answered %s", got.raw)
			}
			if left := e.Groups(); len(left) != 1 || left[0].ID != "b" || e.Deletions("a") != 1 {
				t.Errorf("left %+v, %d deletions", left, e.Deletions("a"))
			}
		})
	}
}

func TestDeletedAndMadeAnewIsAnotherGroup(t *testing.T) {
	e, c := start(t, emulator.Options{})
	first := c.succeed(t, "GET", byID("acme")).Group
	c.succeed(t, "DELETE", byToken(*first.Token))
	c.refused(t, "POST", byToken(*first.Token), http.StatusNotFound, "current_token")
	second := c.succeed(t, "GET", byID("acme")).Group
	if first.TeamID == second.TeamID || *first.Token == *second.Token {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if e.Creations("acme") != 2 || e.Deletions("acme") != 1 {
		t.Errorf("%d creations, %d deletions", e.Creations("acme"), e.Deletions("acme"))
	}
}
