package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// dataSource validates and reads the data source embed_user_group.
func (p *protocol) dataSource(config protocolObject) (protocolObject, protocolDiags) {
	p.t.Helper()
	return p.data(protocolType, config)
}

// data validates and reads a data source.
func (p *protocol) data(name string, config protocolObject) (protocolObject, protocolDiags) {
	p.t.Helper()
	typ := p.schema.DataSourceSchemas[name].ValueType()
	encoded := p.encode(protocolValue(typ, config))
	validated, err := p.server.ValidateDataResourceConfig(p.ctx,
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: encoded})
	p.must(err)
	if diags := p.diagnostics(validated.Diagnostics); diags.hasError() {
		return nil, diags
	}
	read, err := p.server.ReadDataSource(p.ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: encoded})
	p.must(err)
	return p.results(typ, read.State, config), p.diagnostics(read.Diagnostics)
}

// open validates and opens the ephemeral resource.
func (p *protocol) open(config protocolObject) (protocolObject, protocolDiags) {
	p.t.Helper()
	typ := p.schema.EphemeralResourceSchemas[protocolToken].ValueType()
	encoded := p.encode(protocolValue(typ, config))
	validated, err := p.server.ValidateEphemeralResourceConfig(p.ctx,
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: protocolToken, Config: encoded})
	p.must(err)
	if diags := p.diagnostics(validated.Diagnostics); diags.hasError() {
		return nil, diags
	}
	opened, err := p.server.OpenEphemeralResource(p.ctx,
		&tfprotov6.OpenEphemeralResourceRequest{TypeName: protocolToken, Config: encoded})
	p.must(err)
	if !opened.RenewAt.IsZero() {
		p.t.Error("the ephemeral resource asks to be renewed")
	}
	return p.results(typ, opened.Result, config), p.diagnostics(opened.Diagnostics)
}

// results decodes a result and checks what an engine checks: everything must be known, and configured values must be
// unchanged.
func (p *protocol) results(typ tftypes.Type, encoded *tfprotov6.DynamicValue, config protocolObject) protocolObject {
	p.t.Helper()
	value := p.decode(typ, encoded)
	results := protocolMembers(value)
	if !value.IsFullyKnown() {
		p.t.Errorf("the result has unknown values: %v", results)
	}
	for name, wanted := range config {
		if results != nil && !reflect.DeepEqual(results[name], wanted) {
			p.t.Errorf("%s was configured as %v and is %v in the result", name, wanted, results[name])
		}
	}
	return results
}

// invoke validates, plans and runs the action, and returns its progress messages.
func (p *protocol) invoke(config protocolObject) ([]string, protocolDiags) {
	p.t.Helper()
	encoded := p.encode(protocolValue(p.schema.ActionSchemas[protocolAction].Schema.ValueType(), config))
	validated, err := p.server.ValidateActionConfig(p.ctx,
		&tfprotov6.ValidateActionConfigRequest{ActionType: protocolAction, Config: encoded})
	p.must(err)
	if diags := p.diagnostics(validated.Diagnostics); diags.hasError() {
		return nil, diags
	}
	planned, err := p.server.PlanAction(p.ctx, &tfprotov6.PlanActionRequest{ActionType: protocolAction, Config: encoded})
	p.must(err)
	p.diagnostics(planned.Diagnostics).wantNone()
	stream, err := p.server.InvokeAction(p.ctx,
		&tfprotov6.InvokeActionRequest{ActionType: protocolAction, Config: encoded})
	p.must(err)
	var progress []string
	var diags protocolDiags
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diags = diags.and(p.diagnostics(event.Diagnostics))
		}
	}
	return progress, diags
}

// protocolListed is one result of a query.
type protocolListed struct {
	name     string
	id       any
	resource protocolObject
}

// list validates the configuration and lists the groups. A limit of 0 means no limit.
func (p *protocol) list(limit int64, wholeResource bool, ids ...string) ([]protocolListed, protocolDiags) {
	p.t.Helper()
	typ := p.schema.ListResourceSchemas[protocolType].ValueType()
	encoded := p.encode(protocolValue(typ, protocolObject{"user_group_ids": ids}))
	validated, err := p.server.ValidateListResourceConfig(p.ctx,
		&tfprotov6.ValidateListResourceConfigRequest{TypeName: protocolType, Config: encoded})
	p.must(err)
	diags := p.diagnostics(validated.Diagnostics)
	if diags.hasError() {
		return nil, diags
	}
	stream, err := p.server.ListResource(p.ctx, &tfprotov6.ListResourceRequest{
		TypeName: protocolType, Config: encoded, Limit: limit, IncludeResource: wholeResource,
	})
	p.must(err)
	var listed []protocolListed
	for result := range stream.Results {
		more := p.diagnostics(result.Diagnostics)
		diags = diags.and(more)
		if result.Identity == nil {
			continue
		}
		one := protocolListed{name: result.DisplayName}
		one.id = protocolMembers(p.decode(protocolIdentityType, result.Identity.IdentityData))["user_group_id"]
		if result.Resource != nil {
			one.resource = protocolMembers(p.decode(p.typ(), result.Resource))
		}
		listed = append(listed, one)
	}
	return listed, diags
}

func (p *protocol) wantObject(got, want protocolObject) {
	p.t.Helper()
	if !reflect.DeepEqual(got, want) {
		p.t.Errorf("got %v, want %v", got, want)
	}
}

func TestProtocolEphemeralResource(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	group := p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", TeamID: 9007199254740993})
	before := p.service.Groups()
	opened, diags := p.open(byID("acme"))
	diags.wantNone()
	p.wantObject(opened, protocolObject{
		"user_group_id": "acme", "team_id": group.TeamID,
		"token": group.Token, "token_fingerprint": fingerprint(group.Token),
	})
	p.wantCalls("GET")
	_, diags = p.open(byID("nobody"))
	diags.wantError(doesNotExist, "removed it again")
	p.wantUntouched(before)
}

func TestProtocolDataSource(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	group := p.service.Seed(emulator.Group{
		ID: "acme", Name: "Acme", Properties: json.RawMessage(` { "b" : 1.0, "a": null }`), TeamID: 9007199254740993,
	})
	want := protocolObject{
		"user_group_id": "acme", "store_token": nil, "id": "acme", "name": "Acme", "properties": `{"a":null,"b":1}`,
		"token": group.Token, "token_fingerprint": fingerprint(group.Token), "team_id": group.TeamID,
	}
	for _, changes := range []protocolObject{{}, {"store_token": false, "token": nil}} {
		read, diags := p.dataSource(protocolWith(byID("acme"), "store_token", changes["store_token"]))
		diags.wantNone()
		p.wantObject(read, protocolWith(want, changes))
	}
	p.wantCalls("GET > GET")
}

func TestProtocolAction(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	progress, diags := p.invoke(byID("acme"))
	diags.wantNone()
	p.wantCalls("GET > POST")
	if len(progress) != 2 || !strings.Contains(progress[0], `Rotating the token of user group "acme"`) ||
		!strings.Contains(progress[1], fingerprint(p.group("acme").Token)) || !strings.Contains(progress[1], "next refresh") {
		t.Errorf("the progress was %q", progress)
	}
	if strings.Contains(strings.Join(progress, ""), "ugt_") {
		t.Errorf("the progress shows a token: %q", progress)
	}
	p.fault(http.MethodPost, emulator.CutAfterWork)
	progress, diags = p.invoke(byID("acme"))
	diags.wantNone()
	last := progress[len(progress)-1]
	if got := p.service.Rotations("acme"); got != 1 || !strings.Contains(last, fingerprint(p.group("acme").Token)) {
		t.Errorf("after a lost response: %d rotations, and the progress is %q", got, progress)
	}
	p.always(http.MethodPost, emulator.Refuse)
	progress, diags = p.invoke(byID("acme"))
	diags.wantError(cannotRotate, "was not rotated")
	if len(progress) != 1 {
		t.Errorf("the progress of the failed action is %q", progress)
	}
	before := p.service.Groups()
	_, diags = p.invoke(byID("nobody"))
	diags.wantError(doesNotExist, "was not rotated", "removed it again")
	p.wantUntouched(before)
}

func TestProtocolList(t *testing.T) {
	t.Parallel()
	for answers, display := range map[emulator.Answers]string{
		emulator.AnswersStored: "Name of %[1]s (%[1]s)", emulator.AnswersEcho: "%s",
	} {
		p := protocolAnother(t, emulator.Options{Answers: answers})
		for _, id := range []string{"c", "a", "b"} {
			p.service.Seed(emulator.Group{ID: id, Name: "Name of " + id, Properties: json.RawMessage(`{"z":1,"a":2}`)})
		}
		before := p.service.Groups()
		ids := []string{"c", "nobody", "b", "c", "nobody", "a"}
		listed, diags := p.list(100, false, ids...)
		diags.wantNone()
		var want []protocolListed
		for _, id := range []string{"c", "b", "a"} {
			want = append(want, protocolListed{fmt.Sprintf(display, id), id, nil})
		}
		if !reflect.DeepEqual(listed, want) {
			t.Errorf("listed %v, want %v", listed, want)
		}
		p.wantCalls("GET > GET > GET > check > DELETE > GET > GET")
		listed, diags = p.list(2, true, ids...)
		diags.wantNone()
		p.wantCalls("GET > GET > GET > DELETE > GET")
		if len(listed) != 2 || listed[1].id != "b" {
			t.Errorf("the list limited to two is %v", listed)
		}
		group := p.group("c")
		resource := protocolObject{
			"user_group_id": "c", "id": "c", "team_id": group.TeamID,
			"token": nil, "token_fingerprint": fingerprint(group.Token),
		}
		if answers == emulator.AnswersStored {
			resource["name"], resource["properties"] = "Name of c", `{"a":2,"z":1}`
		}
		for attribute, value := range resource {
			if got := listed[0].resource[attribute]; got != value {
				t.Errorf("%s is %v, want %v", attribute, got, value)
			}
		}
		p.wantUntouched(before)
	}
}

func TestProtocolListThatFails(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	for _, id := range []string{"a", "b"} {
		p.service.Seed(emulator.Group{ID: id, Name: id})
	}
	// An engine that is stopped reads no more results. Then there must be no more lookups, since each could create and
	// delete a group.
	config := protocolValue(p.schema.ListResourceSchemas[protocolType].ValueType(),
		protocolObject{"user_group_ids": []string{"a", "b"}})
	stream, err := p.server.ListResource(p.ctx,
		&tfprotov6.ListResourceRequest{TypeName: protocolType, Config: p.encode(config)})
	p.must(err)
	for range stream.Results {
		break
	}
	p.wantCalls("GET")

	// The service may still carry out a lost lookup of a missing group.
	p.service.Fail(emulator.Fault{Method: http.MethodGet, ID: "nobody", Nth: 1, Kind: emulator.CutBefore})
	listed, diags := p.list(0, false, "nobody", "b")
	diags.wantWarning(doesNotExist, "an empty group appears", "curl -X DELETE")
	if len(listed) != 1 || listed[0].id != "b" {
		t.Errorf("listed %v", listed)
	}

	p.service.Fail(emulator.Fault{Method: http.MethodGet, ID: "a", Kind: emulator.Refuse})
	listed, diags = p.list(0, true, "a", "b")
	diags.wantError(`Cannot look up user group "a"`, "does not want to")
	if len(listed) != 1 || listed[0].id != "b" {
		t.Errorf("listed %v", listed)
	}
	listed, diags = p.list(0, true)
	diags.wantNone()
	if len(listed) > 0 {
		t.Errorf("listed %v", listed)
	}
}
