// Command schema prints the provider's schema in the format of `terraform providers schema -json`, for tfplugindocs.
// It runs the provider in its own process. Therefore, it needs no engine, and the documentation is complete even if
// the engine on this machine is old. It omits what the provider does not have: blocks, state stores and variadic
// parameters. TestAccSchemaIsTheEngines fails if anything else is missing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// address is the key under which tfplugindocs looks for the schema. It is not the provider's real address.
const address = "registry.terraform.io/hashicorp/embed"

// object is a JSON object. Its readers do not distinguish members that are false or empty from missing ones.
type object map[string]any

func main() {
	described, err := describe(context.Background(), provider.NewServer("docs")())
	if err == nil {
		document := object{"format_version": "1.0", "provider_schemas": object{address: described}}
		err = json.NewEncoder(os.Stdout).Encode(document)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func describe(ctx context.Context, server tfprotov6.ProviderServer) (object, error) {
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(schemas.Diagnostics, identities.Diagnostics) {
		return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
	}
	var attributesOf func(attributes []*tfprotov6.SchemaAttribute) object
	attributesOf = func(attributes []*tfprotov6.SchemaAttribute) object {
		described := object{}
		for _, a := range attributes {
			one := object{
				"description": a.Description, "description_kind": kind(a.DescriptionKind),
				"required": a.Required, "optional": a.Optional, "computed": a.Computed,
				"sensitive": a.Sensitive, "write_only": a.WriteOnly, "deprecated": a.Deprecated,
			}
			if nested := a.NestedType; nested == nil {
				one["type"] = a.Type
			} else {
				one["nested_type"] = object{
					"attributes": attributesOf(nested.Attributes), "nesting_mode": strings.ToLower(nested.Nesting.String()),
				}
			}
			described[a.Name] = one
		}
		return described
	}
	schemaOf := func(s *tfprotov6.Schema) object {
		return object{"version": s.Version, "block": object{
			"attributes": attributesOf(s.Block.Attributes), "description": s.Block.Description,
			"description_kind": kind(s.Block.DescriptionKind), "deprecated": s.Block.Deprecated,
		}}
	}
	actionOf := func(a *tfprotov6.ActionSchema) object { return schemaOf(a.Schema) }
	identityOf := func(s *tfprotov6.ResourceIdentitySchema) object {
		attributes := object{}
		for _, a := range s.IdentityAttributes {
			attributes[a.Name] = object{
				"type": a.Type, "description": a.Description,
				"required_for_import": a.RequiredForImport, "optional_for_import": a.OptionalForImport,
			}
		}
		return object{"version": s.Version, "attributes": attributes}
	}
	functionOf := func(f *tfprotov6.Function) object {
		parameters := []object{}
		for _, p := range f.Parameters {
			parameters = append(parameters, object{
				"name": p.Name, "type": p.Type, "description": p.Description, "is_nullable": p.AllowNullValue,
			})
		}
		return object{
			"summary": f.Summary, "description": f.Description, "deprecation_message": f.DeprecationMessage,
			"return_type": f.Return.Type, "parameters": parameters,
		}
	}
	return object{
		"provider":                   schemaOf(schemas.Provider),
		"resource_schemas":           each(schemas.ResourceSchemas, schemaOf),
		"data_source_schemas":        each(schemas.DataSourceSchemas, schemaOf),
		"ephemeral_resource_schemas": each(schemas.EphemeralResourceSchemas, schemaOf),
		"list_resource_schemas":      each(schemas.ListResourceSchemas, schemaOf),
		"action_schemas":             each(schemas.ActionSchemas, actionOf),
		"functions":                  each(schemas.Functions, functionOf),
		"resource_identity_schemas":  each(identities.IdentitySchemas, identityOf),
	}, nil
}

func each[Schema any](all map[string]Schema, describe func(Schema) object) object {
	described := object{}
	for name, one := range all {
		described[name] = describe(one)
	}
	return described
}

func kind(k tfprotov6.StringKind) string { return strings.ToLower(k.String()) }
