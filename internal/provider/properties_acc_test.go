package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// writings are JSON objects as text, each with another way to write the same.
var writings = []struct{ text, other string }{
	{`{}`, "\n{ }\n"},
	{`{"b":1,"a":2}`, `{ "a": 2, "b": 1 }`},
	{`{"nested":{"list":[1,[],{},{"deep":{"deeper":null}}],"no":false}}`, `{"nested":{"no":false,"list":[1.0,[ ],{ },{"deep":{"deeper":null}}]}}`},
	{`{"exact":9007199254740993,"large":1e30,"small":1.5E-7,"minus":-0.10}`, `{"minus":-1e-1,"exact":9007199254740993.0,"large":1000000000000000000000000000000,"small":0.00000015}`},
	{`{"beyond":18446744073709551617,"digits":0.1234567890123456789012345678901}`, `{"digits":0.12345678901234567890123456789010,"beyond":18446744073709551617e0}`},
	{`{"größe":"ÄÖ 顧客 😀","":"empty key"}`, `{"":"empty key","gr\u00f6\u00dfe":"\u00c4\u00d6 \u9867\u5ba2 \ud83d\ude00"}`},
	{`{"html":"<b>Tom & 'Jerry'</b>"}`, `{"html":"\u003cb\u003eTom \u0026 'Jerry'\u003c\/b\u003e"}`},
	{`{"escapes":"quote \" slash \\ line\nend"}`, `{"escapes":"quote \u0022 slash \u005c line\u000aend"}`},
	{`{"template":"${not} %{one}"}`, `{"template" : "${not} %{one}"}`},
	{`{"null":null,"list":[null]}`, `{"list":[null],"null":null}`},
}

func everyWriting(text func(i int) string) string {
	var list []string
	for i := range writings {
		list = append(list, quoted(text(i)))
	}
	return "locals {\n  texts = [" + strings.Join(list, ",\n    ") + "]\n}\n" + `
		resource "embed_user_group" "each" {
		  count         = length(local.texts)
		  user_group_id = "group-${count.index}"
		  name          = "Group ${count.index}"
		  properties    = local.texts[count.index]
		}`
}

// Every JSON object reaches the service as it was written, and is no change when it is written differently.
func TestAccPropertiesOfEveryKind(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	asWritten := func() error {
		var wrong []error
		for i, writing := range writings {
			wrong = append(wrong, equal("properties at the service", string(w.group(fmt.Sprintf("group-%d", i)).Properties), writing.text))
		}
		return errors.Join(wrong...)
	}
	var unchanged []plancheck.PlanCheck
	for i := range writings {
		unchanged = append(unchanged, plans(fmt.Sprintf("embed_user_group.each[%d]", i), "no-op", ""))
	}
	text := func(i int) string { return writings[i].text }
	other := func(i int) string { return writings[i].other }
	calls := fmt.Sprintf("GET*%d", len(writings))
	w.run(
		step{does: "create", config: everyWriting(text), calls: calls, then: asWritten},
		step{does: "written differently", config: everyWriting(other), calls: calls, plan: unchanged, then: asWritten},
		step{
			does: "written differently by the service", config: everyWriting(text), calls: calls, plan: unchanged,
			before: func() {
				for i, writing := range writings {
					w.Change(fmt.Sprintf("group-%d", i), func(group *emulator.Group) { group.Properties = []byte(writing.other) })
				}
			},
		},
	)
}

// jsonencode is the usual way to write them.
func TestAccPropertiesManaged(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	with := func(lines ...string) string { return acmeWith(append([]string{`name = "Acme"`}, lines...)...) }
	stored := func(want string) func() error {
		return func() error { return equal("properties at the service", string(w.group("acme").Properties), want) }
	}
	elsewhere := func(text string) func() {
		return func() { w.Change("acme", func(group *emulator.Group) { group.Properties = []byte(text) }) }
	}
	inState := func(text any) []statecheck.StateCheck {
		return []statecheck.StateCheck{has(acmeGroup, attributes{"properties": text})}
	}
	noChange := []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}
	w.run(
		step{does: "create without", config: with(), calls: "GET", then: stored(""), state: inState(nil)},
		step{
			does: "what is not managed may be anything", before: elsewhere(`{"theirs":1}`), config: with(), calls: "GET", plan: noChange,
			then: stored(`{"theirs":1}`), state: inState(nil),
		},
		step{
			does: "managed", config: with(`properties = jsonencode({ n = 9007199254740993, large = 1e30, list = [1, "<&>"], none = null })`), calls: "GET>PUT",
			then:  stored(`{"large":1000000000000000000000000000000,"list":[1,"\u003c\u0026\u003e"],"n":9007199254740993,"none":null}`),
			state: inState(`{"large":1000000000000000000000000000000,"list":[1,"\u003c\u0026\u003e"],"n":9007199254740993,"none":null}`),
		},
		step{
			does: "the same as plain text", config: with("properties = <<-EOT\n{\n \"none\": null, \"n\": 9007199254740993,\n \"list\": [1, \"<&>\"], \"large\": 1e+30\n}\nEOT"),
			calls: "GET", plan: noChange,
		},
		step{does: "one digit", config: with(`properties = jsonencode({ n = 9007199254740992 })`), calls: "GET>PUT", then: stored(`{"n":9007199254740992}`)},
		step{does: "emptied", config: with("properties = jsonencode({})"), calls: "GET>PUT", then: stored(`{}`), state: inState(`{}`)},
		step{does: "filled elsewhere, emptied again", before: elsewhere(`{"theirs":1}`), config: with("properties = jsonencode({})"), calls: "GET>PUT", then: stored(`{}`)},
		step{does: "not managed any more", config: with("properties = null"), calls: "GET", then: stored(`{}`), state: inState(nil)},
		step{
			does: "a rename does not send them", config: acmeWith(`name = "Acme Inc."`), calls: "GET>PUT",
			then: func() error {
				if strings.Contains(w.body("PUT"), "properties") {
					return errors.New("properties were sent")
				}
				return nil
			},
		},
	)
}

// What is ignored stays as it is, and is sent as it was seen.
func TestAccPropertiesIgnored(t *testing.T) {
	engine.Needs(t, engine.IgnoreChanges)
	w := newWorld(t, emulator.Options{})
	with := func(name, object string) string {
		return acmeWith("name = "+quoted(name), "properties = jsonencode("+object+")", "lifecycle {\n ignore_changes = [properties]\n }")
	}
	stored := func() error { return equal("properties at the service", string(w.group("acme").Properties), `{"n":3}`) }
	w.run(
		step{does: "create", config: with("Acme", `{ n = 1 }`), calls: "GET"},
		step{
			does: "changed here and elsewhere", config: with("Acme", `{ n = 4 }`), calls: "GET", then: stored,
			before: func() { w.Change("acme", func(group *emulator.Group) { group.Properties = []byte(`{"n":3}`) }) },
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}, state: []statecheck.StateCheck{has(acmeGroup, attributes{"properties": `{"n":3}`})},
		},
		step{does: "rename", config: with("Acme Inc.", `{ n = 4 }`), calls: "GET>PUT", then: stored},
	)
}

// Properties that are only known at apply, and a sensitive one.
func TestAccPropertiesUnknown(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`, "properties = jsonencode({ source = embed_user_group.source.token_fingerprint, secret = sensitive(\"s3cret\") })") + `
		resource "embed_user_group" "source" {
		  user_group_id = "source"
		  name          = "Source"
		}`
	told := func() error {
		return equal("properties", string(w.group("acme").Properties), `{"secret":"s3cret","source":"`+fingerprint(w.group("source").Token)+`"}`)
	}
	w.run(
		step{
			does: "create", config: config, calls: "GET*2", then: told,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "create", "api_environment_tag id properties team_id token token_fingerprint"), plancheck.ExpectSensitiveValue(acmeGroup, tfjsonpath.New("properties"))},
		},
		step{
			does: "change", config: config, more: func(s *resource.TestStep) { s.Taint = []string{"embed_user_group.source"} }, then: told,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag properties")},
		},
	)
}

// A service that merges keeps what is no longer sent. That is an error which names the key, and the state has the truth.
func TestAccPropertiesMerged(t *testing.T) {
	w := newWorld(t, emulator.Options{Updates: emulator.UpdatesMerge})
	w.secrets = append(w.secrets, "s3cret")
	with := func(object string) string { return acmeWith(`name = "Acme"`, "properties = jsonencode("+object+")") }
	kept := []string{`User group "acme" was not updated as planned`, `"dropped"`}
	w.run(
		step{does: "create", config: with(`{ a = 1, dropped = "s3cret" }`), calls: "GET"},
		step{
			does: "drop a key", config: with(`{ a = 2 }`), calls: "GET>PUT", fails: kept,
			then: func() error { return w.stateSays(`{\"a\":2,\"dropped\":\"s3cret\"}`) },
		},
		step{
			does: "it is planned again, and fails again", config: with(`{ a = 2 }`), calls: "GET>PUT", fails: kept,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "")},
		},
		step{
			does: "put it back", config: with(`{ a = 2, dropped = "s3cret" }`), calls: "GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "add and change", config: with(`{ a = 3, dropped = "s3cret", b = {} }`), calls: "GET>PUT",
			state: []statecheck.StateCheck{has(acmeGroup, attributes{"properties": `{"a":3,"b":{},"dropped":"s3cret"}`})},
		},
	)
}
