package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestSchemasDescribeEverythingAndMarkSecrets checks that each object and each attribute has a description in Markdown,
// that each argument of the provider is optional, and that exactly the secrets are sensitive. An optional attribute
// must not be computed: a default would show up in the plan of every existing group when the provider is upgraded. The
// pages in docs list the attributes of each object.
func TestSchemasDescribeEverythingAndMarkSecrets(t *testing.T) {
	t.Parallel()
	secret := map[string]bool{"token": true, "api_key": true, "headers": true, "client_key_pem": true}
	described := func(what, description string, kind tfprotov6.StringKind) {
		t.Helper()
		if kind != tfprotov6.StringKindMarkdown || !strings.HasSuffix(strings.TrimRight(description, "*)"), ".") ||
			strings.Count(description, "`")%2 != 0 || strings.Count(description, "**")%2 != 0 {
			t.Errorf("the description of %s is not a sentence in Markdown: %q", what, description)
		}
	}
	var check func(object string, attributes []*tfprotov6.SchemaAttribute)
	check = func(object string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			name := object + "." + attribute.Name
			described(name, attribute.Description, attribute.DescriptionKind)
			if attribute.Sensitive != secret[attribute.Name] || attribute.Deprecated || attribute.WriteOnly ||
				attribute.Computed && attribute.Optional {
				t.Errorf("%s is deprecated, write-only, optional and computed, or has the wrong Sensitive", name)
			}
			if object == "provider" && !attribute.Optional {
				t.Errorf("%s is not optional, although a variable can set it", name)
			}
			if attribute.NestedType != nil {
				check(name, attribute.NestedType.Attributes)
			}
		}
	}
	all := bare(t).Schema
	schemas := map[string]*tfprotov6.Schema{"provider": all.Provider}
	for kind, ofKind := range map[string]map[string]*tfprotov6.Schema{
		"resource": all.ResourceSchemas, "data source": all.DataSourceSchemas,
		"ephemeral resource": all.EphemeralResourceSchemas, "list resource": all.ListResourceSchemas,
	} {
		for name, schema := range ofKind {
			schemas[kind+" "+name] = schema
		}
	}
	for name, action := range all.ActionSchemas {
		schemas["action "+name] = action.Schema
	}
	for object, schema := range schemas {
		described(object, schema.Block.Description, schema.Block.DescriptionKind)
		check(object, schema.Block.Attributes)
		if schema.Version != 0 || len(schema.Block.BlockTypes) > 0 {
			t.Errorf("%s has nested blocks, which this test does not check, or a new version: then a test has to upgrade a "+
				"state of the last release", object)
		}
	}
}

// TestOnlyAnotherIDReplaces changes each attribute to another value, to null and to a value that is not known yet. What
// is tried follows from the type of the attribute, so that a new one is tried, too.
func TestOnlyAnotherIDReplaces(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	everything, changes := Object{}, Object{}
	types := p.Type().(tftypes.Object).AttributeTypes
	for _, name := range p.Configurable() {
		switch typ := types[name]; {
		case typ.Is(tftypes.String):
			everything[name], changes[name] = "one", "other"
		case typ.Is(tftypes.Bool):
			everything[name], changes[name] = false, true
		case typ.Is(tftypes.Number):
			everything[name], changes[name] = int64(90), int64(30)
		case typ.Is(tftypes.Map{}):
			everything[name], changes[name] = Object{"key": "one"}, Object{"key": "other"}
		default:
			t.Fatalf("add values of %s, the type of %s, to this test", typ, name)
		}
	}
	everything["properties"], changes["properties"] = `{"tier":"gold"}`, `{}`
	state := p.Created(everything)
	for _, attribute := range p.Configurable() {
		for _, value := range []any{changes[attribute], nil, Unknown} {
			want := "update"
			switch {
			case attribute == "user_group_id" && value != nil:
				want = "replace"
			case value == nil && (attribute == "user_group_id" || attribute == "name"):
				want = "invalid"
			}
			if plan := p.Plan(state, With(everything, attribute, value)); plan.Action != want {
				t.Errorf("changing %s to %v plans to %s, want %s\n%s", attribute, value, plan.Action, want, plan.Diags)
			}
		}
	}
	state = Silent(p.Apply(p.Plan(p.Created(Acme()), Acme("user_group_id", "acme2"))))
	p.WantCalls("DELETE > GET")
	p.WantTruth(state, "acme2")
}
