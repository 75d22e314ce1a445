package provider

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolHeadersAndUserAgentReachTheService(t *testing.T) {
	t.Setenv("TF_APPEND_USER_AGENT", "hcp/3")
	t.Setenv("EMBED_USER_AGENT_SUFFIX", "ci/7")
	p := protocolBare(t)
	p.serve(emulator.Options{})
	p.configure(protocolWith(p.arguments(), protocolObject{
		"api_key": "  " + emulator.DefaultKey + "\n", "headers": protocolObject{"x-tenant": "t1", "X-Gateway": "secret-of-gateway"},
	})).wantNone()
	state := p.created(protocolAcme())
	state, diags := p.update(state, protocolNextQuarter(protocolObject{"name": "New"}))
	diags.wantNone()
	p.refreshed(state)
	_, diags = p.destroy(state)
	diags.wantNone()
	calls := p.service.Calls()
	if len(calls) != 4 {
		t.Errorf("%d calls", len(calls))
	}
	for _, call := range calls {
		for name, want := range map[string]string{
			"Authorization": "Token " + emulator.DefaultKey, "Content-Type": "application/json", "X-Tenant": "t1", "X-Gateway": "secret-of-gateway",
			"User-Agent": "terraform-provider-embed/test (Terraform 1.99.0) hcp/3 ci/7",
		} {
			if got := call.Header.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s: the header %s is %q, want %q", call.Method, name, got, want)
			}
		}
	}
}

func TestProtocolCertificates(t *testing.T) {
	service := startService(t, emulator.Options{})
	target, err := url.Parse(service.URL())
	if err != nil {
		t.Fatal(err)
	}
	gateway := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	gateway.Config.ErrorLog = nil
	gateway.StartTLS()
	t.Cleanup(gateway.Close)
	file := settingsFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw})))

	p := protocolBare(t)
	p.service, p.keys = service, []string{emulator.DefaultKey}
	arguments := protocolWith(p.arguments(), protocolObject{"base_url": gateway.URL + "//"})
	p.configure(arguments).wantNone()
	_, diags := p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "certificate", "was not created")
	p.wantCalls("")

	for source, from := range map[string]struct {
		configured any
		variable   string
	}{
		"configuration": {file, ""}, "environment": {nil, file}, "configuration over environment": {file, "/no/such/file"},
	} {
		t.Setenv("EMBED_CA_CERT_FILE", from.variable)
		p.configure(protocolWith(arguments, protocolObject{"ca_cert_file": from.configured})).wantNone()
		_, diags = p.create(protocolWith(protocolAcme(), protocolObject{"user_group_id": source}))
		diags.wantNone()
		p.wantCalls("GET")
	}
}

func TestProtocolBaseURLWithAPath(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/gateway/v1/api/user" {
			t.Errorf("the path was %q", r.URL.Path)
		}
		_, _ = io.WriteString(w, protocolAnswer("acme", 1001, "Customer"))
	}))
	t.Cleanup(service.Close)
	p := protocolBare(t)
	p.configure(protocolObject{"base_url": service.URL + "/gateway/v1/", "api_key": "k"}).wantNone()
	_, diags := p.dataSource(protocolObject{"user_group_id": "acme"})
	diags.wantNone()
}

func TestProtocolTimeoutAndRetriesReachTheClient(t *testing.T) {
	t.Parallel()
	p := protocolStartWith(t, emulator.Options{}, protocolObject{"request_timeout": "500ms", "max_retries": 1})
	p.service.Fail(emulator.Fault{Method: http.MethodGet, Kind: emulator.DelayBefore, Delay: 10 * time.Second})
	begin := time.Now()
	_, diags := p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "2 attempts", "not known")
	if took := time.Since(begin); took < time.Second || took > 9*time.Second {
		t.Errorf("two attempts of 500 ms took %s", took)
	}

	p = protocolStartWith(t, emulator.Options{}, protocolObject{"max_retries": 0})
	p.fault(http.MethodGet, emulator.TooMany429)
	_, diags = p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "429")
	p.wantCalls("GET")

	p = protocolStartWith(t, emulator.Options{}, protocolObject{"max_retries": 1, "retry_wait_min": "60ms", "retry_wait_max": "60ms"})
	p.service.Fail(emulator.Fault{Method: http.MethodGet, Nth: 1, Kind: emulator.Unavailable503, RetryAfter: "3600"})
	begin = time.Now()
	_, diags = p.create(protocolAcme())
	diags.wantNone()
	if took := time.Since(begin); took < 60*time.Millisecond || took > 5*time.Second {
		t.Errorf("a wait of 60 ms took %s", took)
	}
}

func TestProtocolRequestsPerSecond(t *testing.T) {
	t.Parallel()
	p := protocolStartWith(t, emulator.Options{}, protocolObject{"requests_per_second": 20})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	begin := time.Now()
	for range 4 {
		_, diags := p.open(protocolObject{"user_group_id": "acme"})
		diags.wantNone()
	}
	calls := p.service.Calls()
	// The first may be late, and then the next comes the sooner.
	if took := calls[3].At.Sub(begin); took < 149*time.Millisecond {
		t.Errorf("four calls at 20 a second came within %s", took)
	}
}

func TestProtocolWrongKey(t *testing.T) {
	t.Parallel()
	p := protocolStartWith(t, emulator.Options{}, protocolObject{"api_key": "wrong-key-4711"})
	p.keys = append(p.keys, "wrong-key-4711")
	_, diags := p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "status 401", "Check api_key (EMBED_API_KEY)", "was not created")
	p.wantCalls("GET")
}

func TestProtocolNobodyListens(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.service.Close()
	p = p.anotherProcess(nil) // A connection that is still open may or may not take a request.
	_, diags := p.create(protocolWith(protocolAcme(), protocolObject{"user_group_id": "new"}))
	diags.wantError(`Cannot create user group "new"`, "was not created", "EMBED_BASE_URL")
	after, diags := p.read(state)
	diags.wantError(`Cannot look up user group "acme"`, "Nothing was changed", "EMBED_BASE_URL")
	if !after.value.Equal(state.value) {
		t.Error("the state changed")
	}
}
