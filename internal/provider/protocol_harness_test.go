package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocol talks to the provider as an engine does, but in process. Protocol tests need no engine, and they can check
// warnings, private state, and calls that are not made. Like an engine, protocol compares every plan and every apply
// with the rules whose violation an engine reports as a bug in the provider.
type protocol struct {
	t       *testing.T
	ctx     context.Context
	server  frameworkServer
	service *emulator.Emulator
	keys    []string
	// noTeams is set if the responses of the service have no team_id.
	noTeams bool
	schema  *tfprotov6.GetProviderSchemaResponse
	// configured is the request that configures the provider at the beginning of each walk, or nil.
	configured *tfprotov6.ConfigureProviderRequest
}

const (
	protocolType   = "embed_user_group"
	protocolToken  = "embed_user_group_token"
	protocolAction = "embed_rotate_user_group_token"
)

var (
	protocolIdentityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"user_group_id": tftypes.String}}
	protocolSchema       = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
		schema, err := protocolNewServer().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil || len(schema.Diagnostics) > 0 {
			panic(fmt.Sprint("the provider has no schema: ", err, schema.Diagnostics))
		}
		return schema
	})
)

func protocolNewServer() frameworkServer { return NewServer("test")().(frameworkServer) }

// protocolBare returns a provider that is not configured yet.
func protocolBare(t *testing.T) *protocol {
	t.Helper()
	return &protocol{t: t, ctx: t.Context(), server: protocolNewServer(), schema: protocolSchema()}
}

// protocolStart returns a provider that is configured for a new emulator. It calls t.Parallel.
func protocolStart(t *testing.T, options emulator.Options) *protocol {
	t.Helper()
	t.Parallel()
	return protocolAnother(t, options)
}

// protocolAnother is protocolStart, but does not call t.Parallel.
func protocolAnother(t *testing.T, options emulator.Options) *protocol {
	t.Helper()
	p := protocolBare(t)
	p.serve(options)
	p.configure(p.arguments()).wantNone()
	return p
}

func (p *protocol) serve(options emulator.Options) {
	p.t.Helper()
	p.service = startService(p.t, options)
	p.t.Cleanup(func() {
		if waiting := p.service.FaultsWaiting(); waiting > 0 {
			p.t.Errorf("%d faults never struck, so they tested nothing", waiting)
		}
	})
	p.noTeams = slices.Contains(options.Omit, "team_id")
	p.keys = []string{emulator.DefaultKey}
	for key := range options.Environments {
		p.keys = append(p.keys, key)
	}
}

// arguments returns provider arguments for the emulator, with very short waits between retries.
func (p *protocol) arguments() protocolObject {
	return protocolObject{
		"base_url": p.service.URL(), "api_key": emulator.DefaultKey, "request_timeout": "10s",
		"retry_wait_min": "1ms", "retry_wait_max": "2ms", "max_retries": 2,
	}
}

// anotherProcess returns another process of the provider for the same service. arguments override p.arguments.
func (p *protocol) anotherProcess(arguments protocolObject) *protocol {
	p.t.Helper()
	other := protocolBare(p.t)
	other.service, other.keys = p.service, p.keys
	other.configure(protocolWith(p.arguments(), arguments)).wantNone()
	return other
}

func (p *protocol) configure(arguments protocolObject) protocolDiags {
	p.t.Helper()
	config := p.encode(protocolValue(p.schema.Provider.ValueType(), arguments))
	validated, err := p.server.ValidateProviderConfig(p.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	p.must(err)
	if diags := p.diagnostics(validated.Diagnostics); diags.hasError() {
		return diags
	}
	p.configured = &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.99.0", Config: config}
	return p.walk()
}

// walk begins another walk of the engine. Engines start a new process for each walk, so walk configures the provider
// again, which makes it forget everything.
func (p *protocol) walk() protocolDiags {
	p.t.Helper()
	if p.configured == nil {
		return protocolDiags{t: p.t}
	}
	configured, err := p.server.ConfigureProvider(p.ctx, p.configured)
	p.must(err)
	return p.diagnostics(configured.Diagnostics)
}

func (p *protocol) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("the call itself failed, which an engine reports as a crash: %v", err)
	}
}

func (p *protocol) block() *tfprotov6.SchemaBlock {
	return p.schema.ResourceSchemas[protocolType].Block
}

func (p *protocol) typ() tftypes.Type { return p.schema.ResourceSchemas[protocolType].ValueType() }

// fault makes the next call with the method fail. always makes all of them fail.
func (p *protocol) fault(method string, kind emulator.FaultKind) {
	p.service.Fail(emulator.Fault{Method: method, Nth: 1, Kind: kind})
}

func (p *protocol) always(method string, kind emulator.FaultKind) {
	p.service.Fail(emulator.Fault{Method: method, Kind: kind})
}

// answered replaces the response to every call with the method, as a proxy in front of the service could do.
func (p *protocol) answered(method, body string) {
	p.service.Fail(emulator.Fault{Method: method, Kind: emulator.Answer, Body: body})
}

// group returns a group, which must exist.
func (p *protocol) group(id string) emulator.Group {
	p.t.Helper()
	group, exists := p.service.Group(id)
	if !exists {
		p.t.Fatalf("there is no group %q", id)
	}
	return group
}

// lastBody returns the body of the last call with the method, or nil if there was none.
func (p *protocol) lastBody(method string) (body protocolObject) {
	p.t.Helper()
	for _, call := range p.service.Calls() {
		if call.Method == method {
			body = nil
			p.must(json.Unmarshal(call.Body, &body))
		}
	}
	return body
}

// isCheck reports whether a call is about the group that the provider creates to check the service.
func isCheck(call emulator.Call) bool {
	return strings.HasPrefix(call.ID, "terraform-provider-embed-check-")
}

// callsOf returns the methods of all calls since the counts were last reset, such as "GET > DELETE", and resets the
// counts. Consecutive calls of the check of the service appear as one word, check.
func callsOf(service *emulator.Emulator) string {
	var methods []string
	for _, call := range service.Calls() {
		method := call.Method
		if isCheck(call) {
			method = "check"
		}
		if method != "check" || len(methods) == 0 || methods[len(methods)-1] != method {
			methods = append(methods, method)
		}
	}
	service.ResetCounts()
	return strings.Join(methods, " > ")
}

func (p *protocol) wantCalls(want string) {
	p.t.Helper()
	if got := callsOf(p.service); got != want {
		p.t.Errorf("the calls were %q, want %q", got, want)
	}
}

// wantGroups checks that the service has exactly these groups.
func (p *protocol) wantGroups(want ...string) {
	p.t.Helper()
	wantGroups(p.t, p.service, want)
}

// wantUntouched checks that the service has exactly the same groups as before, unchanged.
func (p *protocol) wantUntouched(before []emulator.Group) {
	p.t.Helper()
	if after := p.service.Groups(); !reflect.DeepEqual(before, after) {
		p.t.Errorf("the service had %v and now has %v", before, after)
	}
}

// protocolState is what an engine stores of an instance of the resource.
type protocolState struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

func (p *protocol) nothing() protocolState {
	return protocolState{value: tftypes.NewValue(p.typ(), nil)}
}

func (s protocolState) members() protocolObject { return protocolMembers(s.value) }

func (s protocolState) get(attribute string) any { return s.members()[attribute] }

func (s protocolState) token() string { return s.get("token").(string) }

// wantState checks attributes of the state. They are given in the form that protocolWith takes.
func (p *protocol) wantState(state protocolState, attributes ...any) {
	p.t.Helper()
	if state.value.IsNull() {
		p.t.Fatalf("there is no state")
	}
	for name, value := range protocolWith(protocolObject{}, attributes...) {
		if got := state.get(name); !reflect.DeepEqual(got, value) {
			p.t.Errorf("%s is %#v in the state, want %#v", name, got, value)
		}
	}
}

func (p *protocol) wantNoState(state protocolState) {
	p.t.Helper()
	if !state.value.IsNull() {
		p.t.Errorf("the state is not empty: %v", state.members())
	}
}

// wantSame checks that no attribute in the state has changed.
func (p *protocol) wantSame(state, before protocolState) {
	p.t.Helper()
	if !state.value.Equal(before.value) {
		p.t.Errorf("the state changed from %v to %v", before.members(), state.members())
	}
}

// wantTruth checks that the computed attributes in the state match the group at the service. api_environment_tag is
// null until a response has contained it.
func (p *protocol) wantTruth(state protocolState, id string) {
	p.t.Helper()
	group := p.group(id)
	token, team := any(group.Token), any(group.TeamID)
	if state.get("store_token") == false {
		token = nil
	}
	if p.noTeams {
		team = nil
	}
	p.wantState(state, "user_group_id", id, "id", id,
		"team_id", team, "token", token, "token_fingerprint", fingerprint(group.Token))
	if tag := state.get("api_environment_tag"); tag != nil && tag != group.Environment {
		p.t.Errorf("api_environment_tag is %v in the state, want %q", tag, group.Environment)
	}
}

// wantIdentity checks that the identity names the group.
func (p *protocol) wantIdentity(identity *tfprotov6.ResourceIdentityData, id any) {
	p.t.Helper()
	if identity == nil {
		p.t.Fatalf("there is no identity")
	}
	if got := protocolMembers(p.decode(protocolIdentityType, identity.IdentityData))["user_group_id"]; got != id {
		p.t.Errorf("the identity is %v, want %v", got, id)
	}
}

// protocolDiags are the diagnostics of one operation.
type protocolDiags struct {
	t    *testing.T
	list []*tfprotov6.Diagnostic
}

// diagnostics checks that the diagnostics of a call are complete and show no secret. All tokens of the emulator begin
// with ugt_.
func (p *protocol) diagnostics(list []*tfprotov6.Diagnostic) protocolDiags {
	p.t.Helper()
	for _, d := range list {
		for _, secret := range append([]string{"ugt_"}, p.keys...) {
			if strings.Contains(d.Summary+d.Detail, secret) {
				p.t.Errorf("a diagnostic shows a key or a token:\n%s", protocolDiags{list: list})
			}
		}
		if d.Summary == "" || d.Detail == "" || d.Severity == tfprotov6.DiagnosticSeverityInvalid {
			p.t.Errorf("a diagnostic is incomplete: %+v", d)
		}
	}
	return protocolDiags{t: p.t, list: list}
}

func (d protocolDiags) String() string {
	var all strings.Builder
	for _, each := range d.list {
		fmt.Fprintf(&all, "%s: %s\n  %s\n", each.Severity, each.Summary, each.Detail)
	}
	return all.String()
}

func (d protocolDiags) hasError() bool {
	return slices.ContainsFunc(d.list, func(each *tfprotov6.Diagnostic) bool {
		return each.Severity == tfprotov6.DiagnosticSeverityError
	})
}

func (d protocolDiags) and(more protocolDiags) protocolDiags {
	return protocolDiags{t: more.t, list: slices.Concat(d.list, more.list)}
}

func (d protocolDiags) wantNone() {
	d.t.Helper()
	if len(d.list) > 0 {
		d.t.Fatalf("unexpected diagnostics:\n%s", d)
	}
}

// wantError checks that there is exactly one diagnostic, that it is an error with this title, and that its detail
// contains all the texts.
func (d protocolDiags) wantError(title string, says ...string) {
	d.t.Helper()
	d.wantOne(tfprotov6.DiagnosticSeverityError, title, says)
}

func (d protocolDiags) wantWarning(title string, says ...string) {
	d.t.Helper()
	d.wantOne(tfprotov6.DiagnosticSeverityWarning, title, says)
}

func (d protocolDiags) wantOne(severity tfprotov6.DiagnosticSeverity, title string, says []string) {
	d.t.Helper()
	if len(d.list) != 1 || d.list[0].Severity != severity || d.list[0].Summary != title {
		d.t.Fatalf("want a single %s %q, got:\n%s", severity, title, d)
	}
	for _, text := range says {
		if !strings.Contains(d.list[0].Detail, text) {
			d.t.Errorf("%q does not say %q:\n%s", title, text, d.list[0].Detail)
		}
	}
}

// wantErrorAt is wantError for an error at an attribute.
func (d protocolDiags) wantErrorAt(attribute, title string, says ...string) {
	d.t.Helper()
	d.wantError(title, says...)
	if at := d.list[0].Attribute.String(); at != fmt.Sprintf("AttributeName(%q)", attribute) {
		d.t.Errorf("the error is at %s, want %s", at, attribute)
	}
}

// wantErrors checks that the diagnostics are errors with exactly these titles, in this order.
func (d protocolDiags) wantErrors(titles ...string) {
	d.t.Helper()
	same := slices.EqualFunc(d.list, titles, func(each *tfprotov6.Diagnostic, title string) bool {
		return each.Severity == tfprotov6.DiagnosticSeverityError && each.Summary == title
	})
	if !same {
		d.t.Fatalf("want the errors %q, got:\n%s", titles, d)
	}
}

func second[First, Second any](_ First, it Second) Second { return it }
