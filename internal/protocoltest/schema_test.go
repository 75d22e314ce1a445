package protocoltest_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// schemaBlocks returns all schemas as the protocol transmits them, by kind and name. The framework has validated
// their implementation by then.
func schemaBlocks(t *testing.T) map[string]*tfprotov6.SchemaBlock {
	t.Helper()
	all := bare(t).Schema
	blocks := map[string]*tfprotov6.SchemaBlock{"provider": all.Provider.Block}
	for kind, schemas := range map[string]map[string]*tfprotov6.Schema{
		"resource": all.ResourceSchemas, "data source": all.DataSourceSchemas,
		"ephemeral resource": all.EphemeralResourceSchemas, "list resource": all.ListResourceSchemas,
	} {
		for name, schema := range schemas {
			blocks[kind+" "+name] = schema.Block
		}
	}
	for name, schema := range all.ActionSchemas {
		blocks["action "+name] = schema.Schema.Block
	}
	return blocks
}

// allAttributes returns the attributes of a block by path, including nested ones.
func allAttributes(block *tfprotov6.SchemaBlock) map[string]*tfprotov6.SchemaAttribute {
	all := map[string]*tfprotov6.SchemaAttribute{}
	var add func(prefix string, attributes []*tfprotov6.SchemaAttribute)
	add = func(prefix string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			all[prefix+attribute.Name] = attribute
			if attribute.NestedType != nil {
				add(prefix+attribute.Name+".", attribute.NestedType.Attributes)
			}
		}
	}
	add("", block.Attributes)
	return all
}

// TestSchemasDescribeEverythingAndMarkSecrets checks that each object and each attribute has a description in Markdown,
// that each argument of the provider names its environment variable, and that exactly the secrets are sensitive.
func TestSchemasDescribeEverythingAndMarkSecrets(t *testing.T) {
	t.Parallel()
	secret := map[string]bool{"token": true, "api_key": true, "headers": true, "client_key_pem": true, "proxy_url": true}
	check := func(what, description string, kind tfprotov6.StringKind) {
		t.Helper()
		if kind != tfprotov6.StringKindMarkdown {
			t.Errorf("the description of %s is %v, not Markdown", what, kind)
		}
		trimmed := strings.TrimSpace(description)
		if len(trimmed) < 20 || trimmed != description || !strings.HasSuffix(strings.TrimRight(trimmed, "*)"), ".") {
			t.Errorf("the description of %s is not a sentence: %q", what, description)
		}
		if strings.Count(description, "`")%2 != 0 || strings.Count(description, "**")%2 != 0 {
			t.Errorf("the Markdown of %s has an unclosed code span or bold text: %q", what, description)
		}
	}
	for object, block := range schemaBlocks(t) {
		check(object, block.Description, block.DescriptionKind)
		if len(block.BlockTypes) > 0 {
			t.Errorf("%s has nested blocks, which this test does not check", object)
		}
		for path, attribute := range allAttributes(block) {
			check(object+"."+path, attribute.Description, attribute.DescriptionKind)
			if attribute.Sensitive != secret[attribute.Name] || attribute.Deprecated || attribute.WriteOnly {
				t.Errorf("%s.%s is deprecated, write-only, or has the wrong Sensitive: %+v", object, path, attribute)
			}
			variable := "Environment variable: `EMBED_" + strings.ToUpper(attribute.Name) + "`"
			if object == "provider" && !strings.Contains(attribute.Description, variable) {
				t.Errorf("the description of %s does not say %q", attribute.Name, variable)
			}
		}
	}
}

// An optional attribute that is not computed cannot have a default, which would show up in the plan of every existing
// group when the provider is upgraded.
func TestSchemasHaveTheseAttributes(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"resource embed_user_group": "name user_group_id; adopt_existing data_source_provided_id deletion_protection " +
			"mapping properties rotate_token_after_days rotate_token_when_changed store_token; " +
			"api_environment_tag id team_id token token_fingerprint token_rotated_at",
		"data source embed_user_group": "user_group_id; store_token; " +
			"id name properties team_id token token_fingerprint",
		"ephemeral resource embed_user_group_token": "user_group_id; ; team_id token token_fingerprint",
		"action embed_rotate_user_group_token":      "user_group_id; ; ",
		"data source embed_user_groups":             "user_group_ids; ; groups missing_ids",
		"groups of embed_user_groups":               "; ; name properties team_id token_fingerprint",
		"list resource embed_user_group":            "user_group_ids; ; ",
	}
	blocks := schemaBlocks(t)
	groups := allAttributes(blocks["data source embed_user_groups"])["groups"].NestedType
	blocks["groups of embed_user_groups"] = &tfprotov6.SchemaBlock{Attributes: groups.Attributes}
	for object, block := range blocks {
		names := func(condition func(*tfprotov6.SchemaAttribute) bool) string {
			return strings.Join(Attributes(block, condition), " ")
		}
		if object == "provider" {
			want[object] = "; " + names(func(*tfprotov6.SchemaAttribute) bool { return true }) + "; "
		}
		got := names(func(a *tfprotov6.SchemaAttribute) bool { return a.Required && !a.Optional && !a.Computed }) + "; " +
			names(func(a *tfprotov6.SchemaAttribute) bool { return a.Optional && !a.Required && !a.Computed }) + "; " +
			names(func(a *tfprotov6.SchemaAttribute) bool { return a.Computed && !a.Required && !a.Optional })
		if got != want[object] {
			t.Errorf("%s has %q, want %q", object, got, want[object])
		}
		delete(want, object)
	}
	if len(want) > 0 {
		t.Errorf("there are no schemas for %v", want)
	}
	if version := bare(t).Schema.ResourceSchemas[ResourceType].Version; version != 0 {
		t.Errorf("the schema version is %d: internal/acceptance/testdata/state needs a file from the last release with "+
			"the previous version", version)
	}
}

func TestOnlyAnotherIDReplaces(t *testing.T) {
	p := start(t, emulator.Options{})
	everything := Acme("data_source_provided_id", "db", "store_token", true, "rotate_token_after_days", int64(90),
		"adopt_existing", false, "deletion_protection", false)
	changes := Object{
		"user_group_id": "acme2", "name": "B", "mapping": Object{"sales": "db-2"}, "properties": `{}`,
		"rotate_token_when_changed": Quarter("Q9"), "rotate_token_after_days": int64(30), "data_source_provided_id": "db2",
		"adopt_existing": true, "deletion_protection": true, "store_token": false,
	}
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
	state = Silent(p.Apply(p.Plan(state, With(everything, "user_group_id", "acme2"))))
	p.WantCalls("DELETE > GET")
	p.WantTruth(state, "acme2")
}
