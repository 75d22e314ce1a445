package provider

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func schemaOfResource(ctx context.Context) schema.Schema {
	var resp resource.SchemaResponse
	newUserGroupResource().Schema(ctx, resource.SchemaRequest{}, &resp)
	return resp.Schema
}

type described interface {
	GetDescription() string
	GetMarkdownDescription() string
}

// frameworkSchema is what the schemas of all kinds have in common.
type frameworkSchema interface {
	described
	ValidateImplementation(ctx context.Context) diag.Diagnostics
}

// frameworkSchemas are all schemas as the framework has them.
func frameworkSchemas(t *testing.T) map[string]frameworkSchema {
	t.Helper()
	ctx := t.Context()
	p := New("test")().(*embedProvider)
	schemas := map[string]frameworkSchema{}
	var ofProvider provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &ofProvider)
	schemas["provider"] = ofProvider.Schema
	for _, create := range p.Resources(ctx) {
		var ofResource resource.SchemaResponse
		var ofIdentity resource.IdentitySchemaResponse
		create().Schema(ctx, resource.SchemaRequest{}, &ofResource)
		create().(resource.ResourceWithIdentity).IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &ofIdentity)
		schemas["resource"], schemas["identity"] = ofResource.Schema, ofIdentity.IdentitySchema
	}
	for _, create := range p.DataSources(ctx) {
		var ofData datasource.SchemaResponse
		create().Schema(ctx, datasource.SchemaRequest{}, &ofData)
		schemas["data source"] = ofData.Schema
	}
	for _, create := range p.EphemeralResources(ctx) {
		var ofEphemeral ephemeral.SchemaResponse
		create().Schema(ctx, ephemeral.SchemaRequest{}, &ofEphemeral)
		schemas["ephemeral resource"] = ofEphemeral.Schema
	}
	for _, create := range p.Actions(ctx) {
		var ofAction action.SchemaResponse
		create().Schema(ctx, action.SchemaRequest{}, &ofAction)
		schemas["action"] = ofAction.Schema
	}
	for _, create := range p.ListResources(ctx) {
		var ofList list.ListResourceSchemaResponse
		create().ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &ofList)
		schemas["list resource"] = ofList.Schema
	}
	if len(schemas) != 7 {
		t.Fatalf("only these schemas were found: %v", slices.Sorted(maps.Keys(schemas)))
	}
	return schemas
}

func TestSchemasAreImplementedWell(t *testing.T) {
	t.Parallel()
	for name, schema := range frameworkSchemas(t) {
		if diags := schema.ValidateImplementation(t.Context()); len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// schemaObjects are all schemas as the protocol shows them.
func schemaObjects(t *testing.T) map[string]*tfprotov6.SchemaBlock {
	t.Helper()
	all := protocolSchema()
	blocks := map[string]*tfprotov6.SchemaBlock{"provider": all.Provider.Block}
	for name, schema := range all.ResourceSchemas {
		blocks["resource "+name] = schema.Block
	}
	for name, schema := range all.DataSourceSchemas {
		blocks["data source "+name] = schema.Block
	}
	for name, schema := range all.EphemeralResourceSchemas {
		blocks["ephemeral resource "+name] = schema.Block
	}
	for name, schema := range all.ListResourceSchemas {
		blocks["list resource "+name] = schema.Block
	}
	for name, schema := range all.ActionSchemas {
		blocks["action "+name] = schema.Schema.Block
	}
	want := []string{
		"action embed_rotate_user_group_token", "data source embed_user_group", "ephemeral resource embed_user_group_token",
		"list resource embed_user_group", "provider", "resource embed_user_group",
	}
	if got := slices.Sorted(maps.Keys(blocks)); !slices.Equal(got, want) {
		t.Fatalf("the schemas are %q, want %q", got, want)
	}
	return blocks
}

func TestSchemasDescribeEverything(t *testing.T) {
	t.Parallel()
	check := func(what, description string, kind tfprotov6.StringKind) {
		t.Helper()
		if kind != tfprotov6.StringKindMarkdown {
			t.Errorf("%s is described as %v, not as Markdown", what, kind)
		}
		if trimmed := strings.TrimSpace(description); len(trimmed) < 20 || trimmed != description || !strings.HasSuffix(strings.TrimRight(trimmed, "*)"), ".") {
			t.Errorf("the description of %s is no sentence: %q", what, description)
		}
		if strings.Count(description, "`")%2 != 0 || strings.Count(description, "**")%2 != 0 {
			t.Errorf("the Markdown of %s does not close: %q", what, description)
		}
	}
	for object, block := range schemaObjects(t) {
		check(object, block.Description, block.DescriptionKind)
		if len(block.BlockTypes) > 0 {
			t.Errorf("%s has blocks, which this test does not walk", object)
		}
		for _, attribute := range block.Attributes {
			check(object+"."+attribute.Name, attribute.Description, attribute.DescriptionKind)
			if attribute.NestedType != nil {
				t.Errorf("%s.%s is nested, and this test does not walk it", object, attribute.Name)
			}
		}
	}
	identities, err := protocolNewServer().GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil || len(identities.Diagnostics) > 0 || len(identities.IdentitySchemas) != 1 {
		t.Fatalf("%v %+v", err, identities)
	}
	for name, identity := range identities.IdentitySchemas {
		if name != protocolType || identity.Version != 0 || len(identity.IdentityAttributes) != 1 {
			t.Errorf("the identity of %s is %+v", name, identity)
		}
		for _, attribute := range identity.IdentityAttributes {
			if attribute.Name != "user_group_id" || !attribute.RequiredForImport || attribute.Description == "" {
				t.Errorf("the identity has %+v", attribute)
			}
		}
	}
}

func TestSchemasMarkSecrets(t *testing.T) {
	t.Parallel()
	secret := map[string]bool{"token": true, "api_key": true, "headers": true}
	for object, block := range schemaObjects(t) {
		for _, attribute := range block.Attributes {
			if attribute.Sensitive != secret[attribute.Name] {
				t.Errorf("%s.%s: sensitive is %t", object, attribute.Name, attribute.Sensitive)
			}
			if attribute.Deprecated || attribute.WriteOnly {
				t.Errorf("%s.%s is deprecated or write-only", object, attribute.Name)
			}
		}
	}
}

// The kinds of all attributes, as the design has them.
func TestSchemasHaveTheAttributesOfTheDesign(t *testing.T) {
	t.Parallel()
	type kinds struct{ required, optional, computed string }
	want := map[string]kinds{
		"provider": {"", "allow_http api_key api_key_file base_url ca_cert_file environment headers max_retries request_timeout requests_per_second retry_wait_max retry_wait_min user_agent_suffix", ""},
		"resource embed_user_group": {
			"name user_group_id",
			"adopt_existing data_source_provided_id deletion_protection mapping properties rotate_token_when_changed store_token",
			"api_environment_tag id team_id token token_fingerprint",
		},
		"data source embed_user_group":              {"user_group_id", "store_token", "id name properties team_id token token_fingerprint"},
		"ephemeral resource embed_user_group_token": {"user_group_id", "", "team_id token token_fingerprint"},
		"action embed_rotate_user_group_token":      {"user_group_id", "", ""},
		"list resource embed_user_group":            {"user_group_ids", "", ""},
	}
	for object, block := range schemaObjects(t) {
		names := func(condition func(*tfprotov6.SchemaAttribute) bool) string {
			return strings.Join(protocolAttributes(block, condition), " ")
		}
		got := kinds{
			names(func(a *tfprotov6.SchemaAttribute) bool { return a.Required && !a.Optional && !a.Computed }),
			names(func(a *tfprotov6.SchemaAttribute) bool { return a.Optional && !a.Required && !a.Computed }),
			names(func(a *tfprotov6.SchemaAttribute) bool { return a.Computed && !a.Required && !a.Optional }),
		}
		if got != want[object] {
			t.Errorf("%s has %+v, want %+v", object, got, want[object])
		}
	}
	if version := protocolSchema().ResourceSchemas[protocolType].Version; version != 0 {
		t.Errorf("the schema has version %d: testdata/state needs a file of the last release that wrote the one before", version)
	}
}

func TestSchemaOfProviderNamesVariables(t *testing.T) {
	t.Parallel()
	for _, attribute := range protocolSchema().Provider.Block.Attributes {
		if variable := "Environment variable: `EMBED_" + strings.ToUpper(attribute.Name) + "`"; !strings.Contains(attribute.Description, variable) {
			t.Errorf("the description of %s does not say %q", attribute.Name, variable)
		}
	}
}

// An attribute with a default would be planned on every existing group when the provider is upgraded.
func TestSchemaOfResourceHasNoDefaults(t *testing.T) {
	t.Parallel()
	for name, attribute := range schemaOfResource(t.Context()).Attributes {
		if byDefault := reflect.ValueOf(attribute).FieldByName("Default"); !byDefault.IsValid() || !byDefault.IsNil() {
			t.Errorf("%s has a default, or none can be looked for", name)
		}
	}
}

func TestSchemaOfResourceReplacesForTheIDAlone(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	everything := protocolWith(protocolAcme(), protocolObject{
		"data_source_provided_id": "db", "adopt_existing": false, "deletion_protection": false, "store_token": true,
	})
	changes := protocolObject{
		"user_group_id": "acme2", "name": "B", "mapping": protocolObject{"sales": "db-2"}, "properties": `{}`, "data_source_provided_id": "db2",
		"rotate_token_when_changed": protocolObject{"quarter": "Q9"}, "adopt_existing": true, "deletion_protection": true, "store_token": false,
	}
	state := p.created(everything)
	for _, attribute := range protocolAttributes(p.block(), func(a *tfprotov6.SchemaAttribute) bool { return !a.Computed }) {
		for _, value := range []any{changes[attribute], nil, protocolUnknown} {
			required := attribute == "user_group_id" || attribute == "name"
			if value == nil && required {
				continue
			}
			plan := p.plan(state, protocolWith(everything, protocolObject{attribute: value}))
			want := "update"
			if attribute == "user_group_id" {
				want = "replace"
			}
			if plan.action != want {
				t.Errorf("%s to %v plans to %s, want %s\n%s", attribute, value, plan.action, want, plan.diags)
			}
		}
	}
}
