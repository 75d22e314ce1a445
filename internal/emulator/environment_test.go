package emulator_test

import (
	"encoding/json"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestBehindTheBack(t *testing.T) {
	e, c := start(t, emulator.Options{})
	mapping := map[string]string{"a": "1"}
	seeded := e.Seed(emulator.Group{ID: "acme", Name: "Acme", Mapping: mapping, Properties: json.RawMessage(`{"a":1}`)})
	if seeded.TeamID != 1001 || seeded.Token == "" || seeded.Environment != "Customer" {
		t.Fatalf("seeded %+v", seeded)
	}
	e.Seed(emulator.Group{ID: "a-first", Environment: "Testing"})
	e.Seed(emulator.Group{ID: "b", Token: "tok-b", TeamID: 5})

	rotated := e.RotateBehind("acme")
	if rotated == "" || rotated == seeded.Token || mustGroup(t, e.Environment, "acme").Token != rotated {
		t.Errorf("rotated to %q", rotated)
	}
	c.refused(t, "POST", byToken(seeded.Token), 404, "current_token")

	if !e.Change("acme", func(g *emulator.Group) { g.ID, g.Environment, g.Name, g.Token = "x", "Testing", "New", "tok-new" }) {
		t.Error("Change found no group")
	}
	if got := c.succeed(t, "POST", byToken("tok-new")); text(got.Group.Name) != "New" || text(got.Group.ProvidedID) != "acme" {
		t.Errorf("after Change: %+v", got.Group)
	}

	replaced := e.Replace("acme")
	if replaced.TeamID == seeded.TeamID || replaced.Name != "" || replaced.Mapping != nil || replaced.Properties != nil {
		t.Errorf("replaced by %+v", replaced)
	}
	if got := c.succeed(t, "GET", byID("acme")); *got.IsNew || text(got.Group.Token) != replaced.Token || string(got.Group.Properties) != "null" {
		t.Errorf("after Replace: %+v", got.Group)
	}

	if !e.Remove("b") || e.Remove("b") || e.RotateBehind("b") != "" || e.Change("b", func(*emulator.Group) {}) {
		t.Error("Remove did not remove, or an absent group was found")
	}
	c.refused(t, "DELETE", byToken("tok-b"), 404, "current_token")

	if groups := e.Groups(); len(groups) != 1 || groups[0].ID != "acme" {
		t.Errorf("left %+v", groups)
	}
	if groups := e.In("Testing").Groups(); len(groups) != 1 || groups[0].ID != "a-first" {
		t.Errorf("left in Testing %+v", groups)
	}
	if e.Creations("acme")+e.Deletions("acme")+e.Updates("acme") != 0 || e.Rotations("acme") != 1 || len(e.Calls()) != 4 {
		t.Errorf("what was done behind the back was counted: %+v", e.Calls())
	}
}

func TestGroupsAreCopies(t *testing.T) {
	e, _ := start(t, emulator.Options{})
	given := emulator.Group{ID: "acme", Mapping: map[string]string{"a": "1"}, Properties: json.RawMessage(`{"a":1}`)}
	seeded := e.Seed(given)
	var kept *emulator.Group
	e.Change("acme", func(g *emulator.Group) { kept = g })
	for _, g := range []emulator.Group{given, seeded, mustGroup(t, e.Environment, "acme"), e.Groups()[0], *kept} {
		g.Mapping["a"] = "changed"
		g.Properties[1] = 'X'
	}
	if group := mustGroup(t, e.Environment, "acme"); group.Mapping["a"] != "1" || string(group.Properties) != `{"a":1}` {
		t.Errorf("stored %+v", group)
	}
}

func TestGroupsAreSorted(t *testing.T) {
	e, _ := start(t, emulator.Options{})
	for _, id := range []string{"c", "a", "d", "b"} {
		e.Seed(emulator.Group{ID: id})
	}
	ids := ""
	for _, group := range e.Groups() {
		ids += group.ID
	}
	if ids != "abcd" {
		t.Errorf("order %s", ids)
	}
}
