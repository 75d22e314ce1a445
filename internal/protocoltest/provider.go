// Package protocoltest calls a provider as an engine does, but in the same process. It is handed the provider's server,
// and knows the provider only by the protocol. The external tests of internal/provider are written in its words, so
// they import it with a dot.
package protocoltest

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Provider is a provider that is called as an engine calls it. Tests that use it need no engine, and they can check
// warnings, private state, and calls that are not made. Like an engine, it compares every plan and every apply with the
// rules whose violation an engine reports as a bug in the provider.
type Provider struct {
	T         *testing.T
	Server    Server
	Service   *emulator.Emulator
	Schema    *tfprotov6.GetProviderSchemaResponse
	ctx       context.Context
	newServer func() tfprotov6.ProviderServer
	names     []string // that diagnostics may mention
	keys      []string
	log       *logs
	noTeams   bool // the responses of the service have no team_id
	Deferrals int  // how many operations were deferred
	// configured is the request that configures the provider at the beginning of each walk, or nil.
	configured *tfprotov6.ConfigureProviderRequest
}

const (
	ResourceType = "embed_user_group"
	tokenType    = "embed_user_group_token" //nolint:gosec // the type of a resource, and not a token
	actionType   = "embed_rotate_user_group_token"
)

var identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"user_group_id": tftypes.String}}

// Server is a provider's server with the optional parts of the protocol. Engines treat a server that lacks one like a
// provider without list resources or actions.
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// Bare returns a provider that is not configured yet.
func Bare(t *testing.T, newServer func() tfprotov6.ProviderServer) *Provider {
	t.Helper()
	server, complete := newServer().(Server)
	if !complete {
		t.Fatal("the server does not implement list resources or actions")
	}
	p := &Provider{T: t, ctx: t.Context(), newServer: newServer, Server: server}
	p.Schema = ask(p, p.Server.GetProviderSchema, &tfprotov6.GetProviderSchemaRequest{})
	p.names = namesIn(p.Schema)
	p.Diagnostics(p.Schema.Diagnostics).WantNone()
	return p
}

// Start returns a provider that is configured for a new emulator.
func Start(t *testing.T, newServer func() tfprotov6.ProviderServer, options emulator.Options) *Provider {
	t.Helper()
	p := Bare(t, newServer)
	p.Use(StartService(t, options), options)
	p.Configure(p.Arguments()).WantNone()
	return p
}

// Use makes the emulator the one that the provider is going to use.
func (p *Provider) Use(service *emulator.Emulator, options emulator.Options) {
	p.T.Helper()
	p.Service = service
	p.T.Cleanup(func() {
		if waiting := p.Service.FaultsWaiting(); waiting > 0 {
			p.T.Errorf("%d faults never struck, so they tested nothing", waiting)
		}
	})
	p.noTeams = slices.Contains(options.Omit, "team_id")
	p.keys = []string{emulator.DefaultKey}
	for key := range options.Environments {
		p.keys = append(p.keys, key)
	}
	p.collectLogs()
}

// Arguments returns provider arguments for the emulator, with very short waits between retries.
func (p *Provider) Arguments() Object {
	return Object{
		"base_url": cmp.Or(p.Service.URL(), "http://127.0.0.1"), "api_key": emulator.DefaultKey, "request_timeout": "10s",
		"retry_wait_max": "1ms", "max_retries": 2,
	}
}

// AnotherProcess returns another process of the provider for the same service. arguments override p.Arguments.
func (p *Provider) AnotherProcess(arguments Object) *Provider {
	p.T.Helper()
	other := Bare(p.T, p.newServer)
	other.Service, other.noTeams, other.keys = p.Service, p.noTeams, slices.Clone(p.keys)
	if key, is := arguments["api_key"].(string); is {
		other.keys = append(other.keys, key)
	}
	other.collectLogs()
	other.Configure(With(p.Arguments(), arguments)).WantNone()
	return other
}

// Configure validates the arguments of the provider and begins a walk with them.
func (p *Provider) Configure(arguments Object) Diags {
	p.T.Helper()
	config := p.Encode(Value(p.Schema.Provider.ValueType(), arguments))
	validated := ask(p, p.Server.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if diags := p.Diagnostics(validated.Diagnostics); diags.HasError() {
		return diags
	}
	p.configured = &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.99.0", Config: config}
	return p.Walk()
}

// Walk begins another walk of the engine. Engines start a new process for each walk, so Walk configures the provider
// again, which makes it forget everything.
func (p *Provider) Walk() Diags {
	p.T.Helper()
	if p.configured == nil {
		return Diags{t: p.T}
	}
	return p.Diagnostics(ask(p, p.Server.ConfigureProvider, p.configured).Diagnostics)
}

// WalkDeferring is Walk with an engine that allows deferral.
func (p *Provider) WalkDeferring() Diags {
	p.T.Helper()
	p.configured.ClientCapabilities = &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: true}
	return p.Walk()
}

// isDeferred counts a deferral, if there is one, and reports whether there is. The only reason can be that the
// configuration of the provider is unknown.
func (p *Provider) isDeferred(deferred *tfprotov6.Deferred) bool {
	if deferred != nil && deferred.Reason == tfprotov6.DeferredReasonProviderConfigUnknown {
		p.Deferrals++
	}
	return deferred != nil
}

// Must ends the test if there is an error.
func (p *Provider) Must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// ask calls a method of the server. An error without diagnostics ends the test, because engines report a crash.
func ask[Request, Response any](
	p *Provider, method func(context.Context, Request) (Response, error), request Request,
) Response {
	p.T.Helper()
	response, err := method(p.ctx, request)
	p.Must(err)
	return response
}

// askQuietly is ask for a method that must not make a call to the service.
func askQuietly[Request, Response any](
	p *Provider, method func(context.Context, Request) (Response, error), request Request,
) Response {
	p.T.Helper()
	calls := func() int {
		if p.Service == nil {
			return 0
		}
		return len(p.Service.Calls())
	}
	before := calls()
	response := ask(p, method, request)
	if calls() > before {
		p.T.Errorf("%T made a call", request)
	}
	return response
}

// Stop asks the provider to end all operations, as an engine does when it is interrupted.
func (p *Provider) Stop() { ask(p, p.Server.StopProvider, &tfprotov6.StopProviderRequest{}) }

func (p *Provider) block() *tfprotov6.SchemaBlock {
	return p.Schema.ResourceSchemas[ResourceType].Block
}

// Type is the type of the resource.
func (p *Provider) Type() tftypes.Type { return p.Schema.ResourceSchemas[ResourceType].ValueType() }

// Fault makes the next call with the method fail.
func (p *Provider) Fault(method string, kind emulator.FaultKind) {
	p.Service.Fail(emulator.Fault{Method: method, Nth: 1, Kind: kind})
}

// Always makes all calls with the method fail.
func (p *Provider) Always(method string, kind emulator.FaultKind) {
	p.Service.Fail(emulator.Fault{Method: method, Kind: kind})
}

// Answered replaces the response to every call with the method, as a proxy in front of the service could do.
func (p *Provider) Answered(method, body string) {
	p.Service.Fail(emulator.Fault{Method: method, Kind: emulator.Answer, Body: body})
}

// Group returns a group, which must exist.
func (p *Provider) Group(id string) emulator.Group {
	p.T.Helper()
	group, exists := p.Service.Group(id)
	if !exists {
		p.T.Fatalf("there is no group %q", id)
	}
	return group
}

// WantCalls checks the methods of all calls since the counts were last reset, such as "GET > DELETE", and resets the
// counts. The calls of the preflight appear as one word.
func (p *Provider) WantCalls(want string) {
	p.T.Helper()
	var methods []string
	for _, call := range p.Service.Calls() {
		if IsPreflight(call) {
			call.Method = "preflight"
		}
		methods = append(methods, call.Method)
	}
	methods = slices.CompactFunc(methods, func(a, b string) bool { return a == "preflight" && b == a })
	p.Service.ResetCounts()
	if got := strings.Join(methods, " > "); got != want {
		p.T.Errorf("the calls were %q, want %q", got, want)
	}
}

// WantGroups checks that the service has exactly these groups.
func (p *Provider) WantGroups(want ...string) { p.T.Helper(); WantGroups(p.T, p.Service, want) }

// WantUntouched checks that the service has exactly the same groups as before, unchanged.
func (p *Provider) WantUntouched(before []emulator.Group) {
	p.T.Helper()
	if after := p.Service.Groups(); !reflect.DeepEqual(before, after) {
		p.T.Errorf("the service had %v and now has %v", before, after)
	}
}

// collectLogs checks and collects the logs of the provider and of the framework from here on, at level TRACE. The
// context of each call carries the loggers, as it does with an engine.
func (p *Provider) collectLogs() {
	p.log = &logs{p: p}
	p.ctx = tfsdklogtest.RootLogger(tflogtest.RootLogger(p.T.Context(), p.log), p.log)
}

type logs struct {
	p    *Provider
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer. Each entry of a log is one call.
func (l *logs) Write(entry []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.p.showsSecret(string(entry)) {
		l.p.T.Errorf("the log shows a key or a token: %s", entry)
	}
	return l.text.Write(entry)
}

// Logged returns the logs so far.
func (p *Provider) Logged() string {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return p.log.text.String()
}

// ForgetLogs forgets the logs so far. They were checked when they were written.
func (p *Provider) ForgetLogs() {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.log.text.Reset()
}

// showsSecret reports whether a text contains a key or a token. All tokens of the emulator begin with ugt_.
func (p *Provider) showsSecret(text string) bool {
	return strings.Contains(text, "ugt_") ||
		slices.ContainsFunc(p.keys, func(key string) bool { return strings.Contains(text, key) })
}
