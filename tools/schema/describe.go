package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// describe asks the server for everything it has and turns it into the document's form.
func describe(ctx context.Context, server tfprotov6.ProviderServer) (*providerSchema, error) {
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(schemas.Diagnostics, identities.Diagnostics) {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	if len(schemas.Functions)+len(schemas.StateStoreSchemas) > 0 {
		return nil, errors.New("functions and state stores are not described yet: add them here")
	}
	return &providerSchema{
		Provider:           schemaOf(schemas.Provider),
		Resources:          each(schemas.ResourceSchemas, schemaOf),
		DataSources:        each(schemas.DataSourceSchemas, schemaOf),
		EphemeralResources: each(schemas.EphemeralResourceSchemas, schemaOf),
		ListResources:      each(schemas.ListResourceSchemas, schemaOf),
		Actions:            each(schemas.ActionSchemas, actionOf),
		Identities:         each(identities.IdentitySchemas, identityOf),
	}, nil
}

func each[From, To any](all map[string]From, turn func(From) To) map[string]To {
	turned := make(map[string]To, len(all))
	for name, one := range all {
		turned[name] = turn(one)
	}
	return turned
}

func schemaOf(s *tfprotov6.Schema) *schema {
	return &schema{Version: s.Version, Block: blockOf(s.Block)}
}

func actionOf(a *tfprotov6.ActionSchema) *action {
	return &action{Block: blockOf(a.Schema.Block)}
}

func identityOf(s *tfprotov6.ResourceIdentitySchema) *identity {
	described := &identity{Version: s.Version, Attributes: map[string]*identityAttribute{}}
	for _, a := range s.IdentityAttributes {
		described.Attributes[a.Name] = &identityAttribute{
			Type:              a.Type,
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return described
}

func blockOf(b *tfprotov6.SchemaBlock) *block {
	described := &block{
		Attributes:         attributesOf(b.Attributes),
		Blocks:             map[string]*blockType{},
		Description:        b.Description,
		DescriptionKind:    strings.ToLower(b.DescriptionKind.String()),
		Deprecated:         b.Deprecated,
		DeprecationMessage: b.DeprecationMessage,
	}
	for _, nested := range b.BlockTypes {
		described.Blocks[nested.TypeName] = &blockType{
			Nesting:  strings.ToLower(nested.Nesting.String()),
			Block:    blockOf(nested.Block),
			MinItems: nested.MinItems,
			MaxItems: nested.MaxItems,
		}
	}
	return described
}

func attributesOf(all []*tfprotov6.SchemaAttribute) map[string]*attribute {
	described := make(map[string]*attribute, len(all))
	for _, a := range all {
		described[a.Name] = &attribute{
			Type:               a.Type,
			Nested:             objectOf(a.NestedType),
			Description:        a.Description,
			DescriptionKind:    strings.ToLower(a.DescriptionKind.String()),
			Deprecated:         a.Deprecated,
			DeprecationMessage: a.DeprecationMessage,
			Required:           a.Required,
			Optional:           a.Optional,
			Computed:           a.Computed,
			Sensitive:          a.Sensitive,
			WriteOnly:          a.WriteOnly,
		}
	}
	return described
}

func objectOf(o *tfprotov6.SchemaObject) *object {
	if o == nil {
		return nil
	}
	return &object{Attributes: attributesOf(o.Attributes), Nesting: strings.ToLower(o.Nesting.String())}
}
