package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server answers with the two schemas that are asked for, and with nothing else.
type server struct {
	tfprotov6.ProviderServer
	schemas    *tfprotov6.GetProviderSchemaResponse
	identities *tfprotov6.GetResourceIdentitySchemasResponse
}

func (s server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.schemas, nil
}

func (s server) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return s.identities, nil
}

func serving(schemas *tfprotov6.GetProviderSchemaResponse) server {
	schemas.Provider = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}
	return server{schemas: schemas, identities: &tfprotov6.GetResourceIdentitySchemasResponse{}}
}

// asJSON compares texts as what they mean.
func asJSON(t *testing.T, got any, want string) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var here, there any
	decode(t, text, &here)
	decode(t, []byte(want), &there)
	if difference := cmp.Diff(there, here); difference != "" {
		t.Errorf("wanted (-), got (+):\n%s", difference)
	}
}

// The document's words also for what the provider does not have yet. For what it has, TestAccSchemaIsTheEngines compares them.
func TestAttributes(t *testing.T) {
	inner := []*tfprotov6.SchemaAttribute{{Name: "a", Type: tftypes.String, Required: true}}
	const innerJSON = `{"a": {"type": "string", "required": true, "description_kind": "plain"}}`
	for name, test := range map[string]struct {
		attribute tfprotov6.SchemaAttribute
		want      string
	}{
		"string": {
			tfprotov6.SchemaAttribute{Type: tftypes.String, Required: true},
			`{"type": "string", "required": true, "description_kind": "plain"}`,
		},
		"Markdown": {
			tfprotov6.SchemaAttribute{Type: tftypes.Bool, Optional: true, Computed: true, Description: "`x`", DescriptionKind: tfprotov6.StringKindMarkdown},
			"{\"type\": \"bool\", \"optional\": true, \"computed\": true, \"description\": \"`x`\", \"description_kind\": \"markdown\"}",
		},
		"sensitive and write-only": {
			tfprotov6.SchemaAttribute{Type: tftypes.Number, Optional: true, Sensitive: true, WriteOnly: true},
			`{"type": "number", "optional": true, "sensitive": true, "write_only": true, "description_kind": "plain"}`,
		},
		"deprecated": {
			tfprotov6.SchemaAttribute{Type: tftypes.String, Optional: true, Deprecated: true, DeprecationMessage: "Use b."},
			`{"type": "string", "optional": true, "deprecated": true, "deprecation_message": "Use b.", "description_kind": "plain"}`,
		},
		"collections": {
			tfprotov6.SchemaAttribute{Computed: true, Type: tftypes.Map{ElementType: tftypes.List{ElementType: tftypes.Set{ElementType: tftypes.Number}}}},
			`{"type": ["map", ["list", ["set", "number"]]], "computed": true, "description_kind": "plain"}`,
		},
		"object": {
			tfprotov6.SchemaAttribute{Computed: true, Type: tftypes.Object{AttributeTypes: map[string]tftypes.Type{
				"a": tftypes.String, "b": tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.Bool, tftypes.String}},
			}}},
			`{"type": ["object", {"a": "string", "b": ["tuple", ["bool", "string"]]}], "computed": true, "description_kind": "plain"}`,
		},
		"any type": {
			tfprotov6.SchemaAttribute{Optional: true, Type: tftypes.DynamicPseudoType},
			`{"type": "dynamic", "optional": true, "description_kind": "plain"}`,
		},
		"nested, single": {
			tfprotov6.SchemaAttribute{Optional: true, NestedType: &tfprotov6.SchemaObject{Attributes: inner, Nesting: tfprotov6.SchemaObjectNestingModeSingle}},
			`{"nested_type": {"nesting_mode": "single", "attributes": ` + innerJSON + `}, "optional": true, "description_kind": "plain"}`,
		},
		"nested, list": {
			tfprotov6.SchemaAttribute{Optional: true, NestedType: &tfprotov6.SchemaObject{Attributes: inner, Nesting: tfprotov6.SchemaObjectNestingModeList}},
			`{"nested_type": {"nesting_mode": "list", "attributes": ` + innerJSON + `}, "optional": true, "description_kind": "plain"}`,
		},
		"nested, set": {
			tfprotov6.SchemaAttribute{Optional: true, NestedType: &tfprotov6.SchemaObject{Attributes: inner, Nesting: tfprotov6.SchemaObjectNestingModeSet}},
			`{"nested_type": {"nesting_mode": "set", "attributes": ` + innerJSON + `}, "optional": true, "description_kind": "plain"}`,
		},
		"nested, map, of nested": {
			tfprotov6.SchemaAttribute{Optional: true, NestedType: &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeMap, Attributes: []*tfprotov6.SchemaAttribute{
				{Name: "b", Computed: true, NestedType: &tfprotov6.SchemaObject{Attributes: inner, Nesting: tfprotov6.SchemaObjectNestingModeSingle}},
			}}},
			`{"nested_type": {"nesting_mode": "map", "attributes": {
				"b": {"nested_type": {"nesting_mode": "single", "attributes": ` + innerJSON + `}, "computed": true, "description_kind": "plain"}
			}}, "optional": true, "description_kind": "plain"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.attribute.Name = "x"
			asJSON(t, attributesOf([]*tfprotov6.SchemaAttribute{&test.attribute}), `{"x": `+test.want+`}`)
		})
	}
}

func TestBlocks(t *testing.T) {
	for name, nesting := range map[string]tfprotov6.SchemaNestedBlockNestingMode{
		"single": tfprotov6.SchemaNestedBlockNestingModeSingle,
		"group":  tfprotov6.SchemaNestedBlockNestingModeGroup,
		"list":   tfprotov6.SchemaNestedBlockNestingModeList,
		"set":    tfprotov6.SchemaNestedBlockNestingModeSet,
		"map":    tfprotov6.SchemaNestedBlockNestingModeMap,
	} {
		t.Run(name, func(t *testing.T) {
			asJSON(t, blockOf(&tfprotov6.SchemaBlock{
				Description: "Outer.", Deprecated: true, DeprecationMessage: "Gone soon.",
				BlockTypes: []*tfprotov6.SchemaNestedBlock{{
					TypeName: "inner", Nesting: nesting, MinItems: 1, MaxItems: 3,
					Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{{Name: "a", Type: tftypes.String, Optional: true}}},
				}},
			}), `{
				"description": "Outer.", "description_kind": "plain", "deprecated": true, "deprecation_message": "Gone soon.",
				"block_types": {"inner": {"nesting_mode": "`+name+`", "min_items": 1, "max_items": 3, "block": {
					"description_kind": "plain", "attributes": {"a": {"type": "string", "optional": true, "description_kind": "plain"}}
				}}}
			}`)
		})
	}
}

func TestEveryKindOfObject(t *testing.T) {
	one := &tfprotov6.Schema{Version: 2, Block: &tfprotov6.SchemaBlock{}}
	empty := `{"version": 2, "block": {"description_kind": "plain"}}`
	asked := serving(&tfprotov6.GetProviderSchemaResponse{
		ResourceSchemas:          map[string]*tfprotov6.Schema{"embed_r": one},
		DataSourceSchemas:        map[string]*tfprotov6.Schema{"embed_d": one},
		EphemeralResourceSchemas: map[string]*tfprotov6.Schema{"embed_e": one},
		ListResourceSchemas:      map[string]*tfprotov6.Schema{"embed_l": one},
		ActionSchemas:            map[string]*tfprotov6.ActionSchema{"embed_a": {Schema: one}},
	})
	asked.identities.IdentitySchemas = map[string]*tfprotov6.ResourceIdentitySchema{"embed_r": {
		Version: 1,
		IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{
			{Name: "id", Type: tftypes.String, RequiredForImport: true, Description: "The id."},
			{Name: "part", Type: tftypes.List{ElementType: tftypes.Number}, OptionalForImport: true},
		},
	}}
	described, err := describe(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	asJSON(t, described, `{
		"provider": {"version": 0, "block": {"description_kind": "plain"}},
		"resource_schemas": {"embed_r": `+empty+`},
		"data_source_schemas": {"embed_d": `+empty+`},
		"ephemeral_resource_schemas": {"embed_e": `+empty+`},
		"list_resource_schemas": {"embed_l": `+empty+`},
		"action_schemas": {"embed_a": {"block": {"description_kind": "plain"}}},
		"resource_identity_schemas": {"embed_r": {"version": 1, "attributes": {
			"id": {"type": "string", "required_for_import": true, "description": "The id."},
			"part": {"type": ["list", "number"], "optional_for_import": true}
		}}}
	}`)
}

func TestWhatIsNotDescribedIsAnError(t *testing.T) {
	refused := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: "No schema", Detail: "Because."}
	ofIdentity := serving(&tfprotov6.GetProviderSchemaResponse{})
	ofIdentity.identities.Diagnostics = []*tfprotov6.Diagnostic{refused}
	for want, asked := range map[string]server{
		"functions and state stores": serving(&tfprotov6.GetProviderSchemaResponse{Functions: map[string]*tfprotov6.Function{"f": {}}}),
		"No schema: Because.":        serving(&tfprotov6.GetProviderSchemaResponse{Diagnostics: []*tfprotov6.Diagnostic{refused}}),
		"No schema":                  ofIdentity,
	} {
		if _, err := describe(t.Context(), asked); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted an error with %q, got %v", want, err)
		}
	}
}
