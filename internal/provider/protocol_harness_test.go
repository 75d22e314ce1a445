package provider

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The protocol tests speak to the provider as an engine does, but in process: no engine is needed, and warnings, private
// state and calls not made can be looked at. protocol behaves like an engine, also in what it objects to: every plan and
// every apply is held against the rules whose breach makes an engine report a bug of the provider.
type protocol struct {
	t       testing.TB
	ctx     context.Context
	server  frameworkServer
	service *emulator.Emulator
	keys    []string
	// noTeams: the service never tells a team_id.
	noTeams bool
	schema  *tfprotov6.GetProviderSchemaResponse
	// configured is what each walk configures the provider with again.
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
			panic("the provider has no schema")
		}
		return schema
	})
)

func protocolNewServer() frameworkServer {
	return NewServer("test")().(frameworkServer)
}

// protocolBare is a provider that is not configured yet.
func protocolBare(t testing.TB) *protocol {
	t.Helper()
	return &protocol{t: t, ctx: t.Context(), server: protocolNewServer(), schema: protocolSchema()}
}

// protocolStart is a provider configured for an emulator of its own.
func protocolStart(t testing.TB, options emulator.Options) *protocol {
	t.Helper()
	return protocolStartWith(t, options, nil)
}

// protocolStartWith also takes arguments for the provider block.
func protocolStartWith(t testing.TB, options emulator.Options, arguments protocolObject) *protocol {
	t.Helper()
	p := protocolBare(t)
	p.serve(options)
	p.configure(protocolWith(p.arguments(), arguments)).wantNone()
	return p
}

func (p *protocol) serve(options emulator.Options) {
	p.t.Helper()
	p.service = startService(p.t, options)
	p.noTeams = slices.Contains(options.Omit, "team_id")
	p.keys = []string{emulator.DefaultKey}
	for key := range options.Environments {
		p.keys = append(p.keys, key)
	}
}

// arguments point a provider at the emulator and let it wait for nothing.
func (p *protocol) arguments() protocolObject {
	return protocolObject{
		"base_url": p.service.URL(), "api_key": emulator.DefaultKey, "request_timeout": "10s",
		"retry_wait_min": "1ms", "retry_wait_max": "2ms", "max_retries": 2,
	}
}

// anotherProcess is one of the same provider at the same service, with other arguments.
func (p *protocol) anotherProcess(arguments protocolObject) *protocol {
	p.t.Helper()
	other := protocolBare(p.t)
	other.service, other.keys = p.service, p.keys
	other.configure(protocolWith(p.arguments(), arguments)).wantNone()
	return other
}

func (p *protocol) configure(arguments protocolObject) protocolDiags {
	p.t.Helper()
	config := protocolEncode(p.t, protocolValue(p.schema.Provider.ValueType(), arguments))
	validated, err := p.server.ValidateProviderConfig(p.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	p.must(err)
	if diags := p.diagnostics(validated.Diagnostics); diags.hasError() {
		return diags
	}
	p.configured = &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.99.0", Config: config}
	return p.walk()
}

// walk begins another walk of the engine, which starts a process of its own for it: the provider remembers nothing.
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
		p.t.Fatalf("the call itself failed, which an engine shows as a crash: %v", err)
	}
}

func (p *protocol) block() *tfprotov6.SchemaBlock {
	return p.schema.ResourceSchemas[protocolType].Block
}

func (p *protocol) typ() tftypes.Type { return p.schema.ResourceSchemas[protocolType].ValueType() }

// calls tells the methods of all calls since the last time it was asked, such as "GET > DELETE". Calls about the group that
// the provider makes to check the service are one word together: check.
func (p *protocol) calls() string { return callsOf(p.service) }

func callsOf(service *emulator.Emulator) string {
	var methods []string
	for _, call := range service.Calls() {
		method := call.Method
		if strings.HasPrefix(call.ID, "terraform-provider-embed-check-") {
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
	if got := p.calls(); got != want {
		p.t.Errorf("the calls were %q, want %q", got, want)
	}
}

// wantFaultsStruck ends a test of faults: one that never struck has tested nothing.
func (p *protocol) wantFaultsStruck() {
	p.t.Helper()
	if waiting := p.service.FaultsWaiting(); waiting > 0 {
		p.t.Errorf("%d faults never struck", waiting)
	}
}

// fault makes the next call of the method fail.
func (p *protocol) fault(method string, kind emulator.FaultKind) {
	p.service.Fail(emulator.Fault{Method: method, Nth: 1, Kind: kind})
}

// always makes every call of the method fail.
func (p *protocol) always(method string, kind emulator.FaultKind) {
	p.service.Fail(emulator.Fault{Method: method, Kind: kind})
}

// answered has every call of the method answered so, by something in the place of the service.
func (p *protocol) answered(method, body string) {
	p.service.Fail(emulator.Fault{Method: method, Kind: emulator.Answer, Body: body})
}

// group is one that has to be there.
func (p *protocol) group(id string) emulator.Group {
	p.t.Helper()
	group, exists := p.service.Group(id)
	if !exists {
		p.t.Fatalf("there is no group %q", id)
	}
	return group
}

// wantGroups demands that the service has these groups and no others.
func (p *protocol) wantGroups(want ...string) {
	p.t.Helper()
	var got []string
	for _, group := range p.service.Groups() {
		got = append(got, group.ID)
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("the service has the groups %q, want %q", got, want)
	}
}

// lastBody is that of the last call with a method, as plain Go.
func (p *protocol) lastBody(method string) protocolObject {
	p.t.Helper()
	body := protocolObject{}
	for _, call := range p.service.Calls() {
		if call.Method == method {
			body = protocolObject{}
			if err := json.Unmarshal(call.Body, &body); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	return body
}

// protocolState is what an engine keeps of an instance.
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

func (p *protocol) wantState(state protocolState, want protocolObject) {
	p.t.Helper()
	if state.value.IsNull() {
		p.t.Fatalf("there is no state")
	}
	for name, value := range want {
		if got := state.get(name); !reflect.DeepEqual(got, value) {
			p.t.Errorf("%s is %#v in the state, want %#v", name, got, value)
		}
	}
}

func (p *protocol) wantNoState(state protocolState) {
	p.t.Helper()
	if !state.value.IsNull() {
		p.t.Errorf("there is a state: %v", state.members())
	}
}

// wantSame demands that nothing of the state has changed.
func (p *protocol) wantSame(state, before protocolState) {
	p.t.Helper()
	if !state.value.Equal(before.value) {
		p.t.Errorf("the state changed from %v to %v", before.members(), state.members())
	}
}

// wantTruth demands that the state says of the computed attributes what the service has.
func (p *protocol) wantTruth(state protocolState, id string) {
	p.t.Helper()
	group := p.group(id)
	token := any(group.Token)
	if state.get("store_token") == false {
		token = nil
	}
	team := any(group.TeamID)
	if p.noTeams {
		team = nil
	}
	p.wantState(state, protocolObject{
		"user_group_id": id, "id": id, "token": token, "token_fingerprint": fingerprint(group.Token), "team_id": team,
	})
}

// wantIdentity demands that the identity names the group.
func (p *protocol) wantIdentity(identity *tfprotov6.ResourceIdentityData, id any) {
	p.t.Helper()
	if identity == nil {
		p.t.Fatalf("there is no identity")
	}
	if got := protocolMembers(protocolDecode(p.t, protocolIdentityType, identity.IdentityData))["user_group_id"]; got != id {
		p.t.Errorf("the identity is of %v, want %v", got, id)
	}
}
