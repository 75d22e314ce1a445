//go:build unix

// Package proxies tests the provider behind programs that are used between Terraform and the service. It starts each
// program on the loopback interface with a configuration from testdata. `make test-proxies` runs it.
package proxies

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

const groups = 50

// setting is a program with a configuration, and the expected results of running operations through it.
type setting struct {
	program, name string
	// features is a comma-separated list of what the configuration has. With https, the service itself uses TLS.
	features string
	// provider contains additional arguments of the provider block.
	provider string
	// during disturbs the program repeatedly during apply and rotate.
	during func(p *program)
	// fault strikes the service during rotate, and rotations is the expected number of rotations beyond one per group.
	fault     *emulator.Fault
	rotations int
	// prepared means that the groups are created before all operations, without the program in between.
	prepared bool
	// direct lists the operations that bypass the program.
	direct []string
	// fails maps each operation that must fail to words of its error. All other operations must succeed.
	fails map[string]string
}

// apply creates the groups, and rotate updates all of them, too.
const apply, plan, rotate, imports, data, destroy = "apply", "plan", "rotate", "import", "data", "destroy"

var operations = []string{apply, plan, rotate, imports, data, destroy}

const (
	trusted = `ca_cert_pem = file("DIR/server.pem")` + "\n"
	client  = `client_cert_pem = file("DIR/client.pem")` + "\n" + `client_key_pem = file("DIR/client.key")` + "\n"
	cached  = `A cache may have returned`
	mixedUp = `Otherwise, look for a cache`
	dropped = `drops the body`
)

// failing returns a value for fails.
func failing(says string, operations ...string) map[string]string {
	fails := map[string]string{}
	for _, operation := range operations {
		fails[operation] = says
	}
	return fails
}

var lostRotation = &emulator.Fault{Method: "POST", Nth: 7, Kind: emulator.CutAfterWork}

var settings = []setting{
	{program: "nginx", name: "proxy_pass"},
	{program: "nginx", name: "TLS with a client certificate", features: "tls", provider: trusted + client},
	{
		program: "nginx", name: "TLS without a client certificate", features: "tls", provider: trusted,
		fails: failing("No required SSL certificate was sent", operations...), prepared: true,
	},
	{program: "nginx", name: "limit_req", features: "limit"},
	{program: "nginx", name: "reloaded during the run", during: reload},
	{program: "nginx", name: "workers killed during the run", during: killWorkers},
	{
		program: "nginx", name: "proxy_cache", features: "cache", direct: []string{apply, rotate, destroy},
		fails: map[string]string{plan: mixedUp, imports: cached, data: cached},
	},
	{
		program: "nginx", name: "proxy_cache with the body in its key", features: "cache,by body",
		direct: []string{apply, rotate, destroy}, fails: failing(cached, imports, data),
	},
	{program: "nginx", name: "the recipe for other methods and paths", features: "recipe"},
	{program: "haproxy", name: "default"},
	{program: "haproxy", name: "retry-on", features: "retry", fault: lostRotation, rotations: 1},
	{program: "haproxy", name: "retry-on with the lines of the page", features: "retry,page", fault: lostRotation},
	{
		program: "varnishd", name: "default", fails: failing(dropped, apply, plan, rotate, imports, data), prepared: true,
	},
	{program: "varnishd", name: "pass and fetch", features: "bodies"},
	{program: "squid", name: "CONNECT with a password", features: "https,password", provider: trusted},
	{
		program: "squid", name: "CONNECT without the password", features: "https", provider: trusted,
		fails: failing("407", operations...), prepared: true,
	},
	{
		program: "squid", name: "http", features: "password", provider: "allow_http = true",
		fails: failing(dropped, apply, plan, rotate, imports, data), prepared: true,
	},
	{program: "squid", name: "request_entities on", features: "password,bodies", provider: "allow_http = true"},
}

// Has reports whether the configuration has a feature.
func (s setting) Has(feature string) bool {
	return slices.Contains(strings.Split(s.features, ","), feature)
}

func TestProxies(t *testing.T) {
	if os.Getenv("EMBED_TEST_PROXIES") == "" {
		t.Skip("make test-proxies runs this")
	}
	found, err := engine.AtHand()
	if err != nil {
		t.Fatal(err)
	}
	configuration, err := engine.BuildProvider(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		t.Run(s.program+" "+s.name, func(t *testing.T) {
			engine.NeedsProgram(t, s.program)
			t.Parallel()
			service := protocoltest.StartService(t, emulator.Options{Latency: 5 * time.Millisecond})
			(&workspace{start(t, s, service), found, configuration, service, t.TempDir()}).run()
		})
	}
}

// workspace is a working directory of the engine, with the program of a setting and the service behind it.
type workspace struct {
	*program
	engine        engine.Engine
	configuration string
	service       *emulator.Emulator
	dir           string
}

// run runs all operations of the setting, and checks their results.
func (w *workspace) run() {
	t, s := w.t, w.setting
	if s.prepared {
		if said, ok := w.do(apply, true); !ok {
			t.Fatalf("apply without %s in between failed:\n%s", s.program, said)
		}
	}
	if s.Has("cache") {
		w.fillCache()
	}
	want := w.left()
	for _, operation := range operations {
		direct := slices.Contains(s.direct, operation) || operation == destroy && s.prepared && s.fails[destroy] == ""
		says := s.fails[operation]
		if direct {
			says = ""
		}
		w.service.ResetCounts()
		if s.fault != nil && operation == rotate {
			w.service.Fail(*s.fault)
		}
		stop := func() {}
		if s.during != nil && (operation == apply || operation == rotate) {
			stop = w.disturb()
		}
		said, ok := w.do(operation, direct)
		stop()
		unwrapped := strings.Join(strings.Fields(strings.ReplaceAll(said, "│", " ")), " ")
		if ok != (says == "") || says != "" && !strings.Contains(unwrapped, says) {
			t.Errorf("%s: success is %v, want the error %q, empty for success:\n%.2000s", operation, ok, says,
				said[max(0, strings.Index(said, "Error: ")):])
		}
		rotations := 0
		switch {
		case says != "":
		case operation == apply:
			want = groups
		case operation == rotate:
			rotations = groups + s.rotations
		case operation == destroy:
			want = 0
		}
		if got := w.service.Count("rotated", ""); got != rotations {
			t.Errorf("%s: %d rotations of %d groups, want %d", operation, got, groups, rotations)
		}
		if got := w.left(); got != want {
			t.Errorf("%s: the service has %d groups, want %d", operation, got, want)
		}
	}
}

// left returns the number of the customers' groups at the service.
func (w *workspace) left() (n int) {
	for _, group := range w.service.Groups() {
		if strings.HasPrefix(group.ID, "group-") {
			n++
		}
	}
	return n
}

// do runs an operation with the engine, either through the program or directly. It returns the engine's output and
// whether the operation succeeded.
func (w *workspace) do(operation string, direct bool) (said string, ok bool) {
	scheme, provider := "http://", w.provider
	if w.Has("tls") {
		scheme = "https://"
	}
	address, environment := scheme+w.Address, engine.Environment(w.configuration)
	switch {
	case direct:
		address, provider = w.direct, strings.ReplaceAll(provider, client, "")
	case w.setting.program == "squid":
		address = strings.Replace(w.direct, w.ServiceHost, host, 1)
		password := map[bool]string{true: "user:pass%40word@"}[w.Has("password")]
		environment = append(environment, "HTTP_PROXY=http://"+password+w.Address, "HTTPS_PROXY=http://"+password+w.Address)
	}
	one, more, quarter := "group-3", "", "Q2"
	if w.Has("cache") {
		one = shell
	}
	if operation == data {
		more = `data "embed_user_group" "one" { user_group_id = "` + one + `" }`
	}
	if operation == apply || operation == plan {
		quarter = "Q1"
	}
	text := fmt.Sprintf(`terraform {
  required_providers {
    embed = { source = "dashembed/embed" }
  }
}

provider "embed" {
  base_url = %q
  api_key  = %q
  %s
}

resource "embed_user_group" "all" {
  count                     = %d
  user_group_id             = "group-${count.index}"
  name                      = "Group ${count.index} in %[5]s"
  rotate_token_when_changed = { quarter = %[5]q }
}
%s`, address, emulator.DefaultKey, strings.ReplaceAll(provider, "DIR", w.Dir), groups, quarter, more)
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	arguments := map[string][]string{
		apply: {"apply", "-auto-approve"}, rotate: {"apply", "-auto-approve"}, plan: {"plan", "-detailed-exitcode"},
		imports: {"import", "-state=" + filepath.Join(w.t.TempDir(), "state"), "embed_user_group.all[3]", one},
		data:    {"plan", "-refresh=false"}, destroy: {"destroy", "-auto-approve"},
	}[operation]
	output, err := w.engine.Command(w.t.Context(), w.dir, environment, append(arguments, "-no-color")...).CombinedOutput()
	return string(output), err == nil
}

// disturb disturbs the program at every 20th call that the service receives, until stop is called.
func (w *workspace) disturb() (stop func()) {
	var calls atomic.Int64
	w.service.BeforeCall(func(emulator.Call) {
		if calls.Add(1)%20 == 0 {
			w.during(w.program)
		}
	})
	return func() { w.service.BeforeCall(nil) }
}

// shell is the ID of a group that the cache shows as new.
const shell = "shell"

// fillCache creates the group shell through the program, which caches the response.
func (w *workspace) fillCache() {
	body := strings.NewReader(`{"user_group_id":"` + shell + `"}`)
	request := httptest.NewRequest(http.MethodGet, "http://"+w.Address+"/api/user", body)
	request.RequestURI = ""
	request.Header = http.Header{"Authorization": {"Token " + emulator.DefaultKey}, "Content-Type": {"application/json"}}
	if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusOK {
		w.t.Fatal(err, response)
	}
}
