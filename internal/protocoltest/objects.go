package protocoltest

import (
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Data validates and reads a data source.
func (p *Provider) Data(name string, config Object) (Object, Diags) {
	p.T.Helper()
	typ := p.Schema.DataSourceSchemas[name].ValueType()
	encoded := p.Encode(Value(typ, config))
	validated := ask(p, p.Server.ValidateDataResourceConfig,
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: encoded})
	if diags := p.Diagnostics(validated.Diagnostics); diags.HasError() {
		return nil, diags
	}
	read := ask(p, p.Server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: encoded})
	return p.results(typ, read.State, config, read.Deferred), p.Diagnostics(read.Diagnostics)
}

// Open validates and opens the ephemeral resource.
func (p *Provider) Open(config Object) (Object, Diags) {
	p.T.Helper()
	typ := p.Schema.EphemeralResourceSchemas[tokenType].ValueType()
	encoded := p.Encode(Value(typ, config))
	validated := ask(p, p.Server.ValidateEphemeralResourceConfig,
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: tokenType, Config: encoded})
	if diags := p.Diagnostics(validated.Diagnostics); diags.HasError() {
		return nil, diags
	}
	opened := ask(p, p.Server.OpenEphemeralResource,
		&tfprotov6.OpenEphemeralResourceRequest{TypeName: tokenType, Config: encoded})
	if !opened.RenewAt.IsZero() {
		p.T.Error("the ephemeral resource asks to be renewed")
	}
	return p.results(typ, opened.Result, config, opened.Deferred), p.Diagnostics(opened.Diagnostics)
}

// results decodes a result and checks what an engine checks: everything must be known, and configured values must be
// unchanged. If the operation was deferred, there is no result.
func (p *Provider) results(
	typ tftypes.Type, encoded *tfprotov6.DynamicValue, config Object, deferred *tfprotov6.Deferred,
) Object {
	p.T.Helper()
	if p.isDeferred(deferred) {
		return nil
	}
	value := p.Decode(typ, encoded)
	results := members(value)
	if !value.IsFullyKnown() {
		p.T.Errorf("the result has unknown values: %v", results)
	}
	for name, wanted := range members(Value(typ, config)) {
		if results != nil && wanted != nil && !reflect.DeepEqual(results[name], wanted) {
			p.T.Errorf("%s was configured as %v and is %v in the result", name, wanted, results[name])
		}
	}
	return results
}

// Invoke validates, plans and runs the action, and returns its progress messages.
func (p *Provider) Invoke(config Object) (progress []string, diags Diags) {
	p.T.Helper()
	encoded := p.Encode(Value(p.Schema.ActionSchemas[actionType].Schema.ValueType(), config))
	validated := ask(p, p.Server.ValidateActionConfig,
		&tfprotov6.ValidateActionConfigRequest{ActionType: actionType, Config: encoded})
	if diags := p.Diagnostics(validated.Diagnostics); diags.HasError() {
		return nil, diags
	}
	planned := ask(p, p.Server.PlanAction, &tfprotov6.PlanActionRequest{ActionType: actionType, Config: encoded})
	p.Diagnostics(planned.Diagnostics).WantNone()
	if p.isDeferred(planned.Deferred) {
		return nil, Diags{t: p.T}
	}
	stream := ask(p, p.Server.InvokeAction, &tfprotov6.InvokeActionRequest{ActionType: actionType, Config: encoded})
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diags = diags.and(p.Diagnostics(event.Diagnostics))
		}
	}
	return progress, diags
}

// Listed is one result of a query.
type Listed struct {
	Name     string
	ID       any
	Resource Object
}

// List validates the configuration and lists the groups. A limit of 0 means no limit. As Terraform does, it reads
// nothing after as many results.
func (p *Provider) List(limit int64, wholeResource bool, ids ...string) (listed []Listed, diags Diags) {
	p.T.Helper()
	typ := p.Schema.ListResourceSchemas[ResourceType].ValueType()
	encoded := p.Encode(Value(typ, Object{"user_group_ids": ids}))
	validated := ask(p, p.Server.ValidateListResourceConfig,
		&tfprotov6.ValidateListResourceConfigRequest{TypeName: ResourceType, Config: encoded})
	if diags = p.Diagnostics(validated.Diagnostics); diags.HasError() {
		return nil, diags
	}
	stream := ask(p, p.Server.ListResource, &tfprotov6.ListResourceRequest{
		TypeName: ResourceType, Config: encoded, Limit: limit, IncludeResource: wholeResource,
	})
	for result := range stream.Results {
		if diags.HasError() && result.Identity != nil {
			p.T.Error("a result follows an error, after which Terraform ends the provider")
		}
		diags = diags.and(p.Diagnostics(result.Diagnostics))
		if result.Identity == nil {
			continue
		}
		one := Listed{Name: result.DisplayName}
		one.ID = members(p.Decode(identityType, result.Identity.IdentityData))["user_group_id"]
		if result.Resource != nil {
			one.Resource = members(p.Decode(p.Type(), result.Resource))
		}
		if listed = append(listed, one); int64(len(listed)) == limit {
			break
		}
	}
	return listed, diags
}
