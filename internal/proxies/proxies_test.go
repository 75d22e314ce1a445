//go:build unix

// Package proxies tests the provider behind programs that are used between Terraform and the service. It starts each
// program on the loopback interface with a configuration from testdata. Run it with make test-proxies, which prints
// the table of the guide "Behind a proxy or a gateway".
package proxies

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

const groups = 50

// setting is a program with a configuration, and the expected results of running operations through it.
type setting struct {
	program string
	// is describes the setting in the table. features is a comma-separated list of what its configuration has.
	is, features string
	// provider contains additional arguments of the provider block. https makes the service itself use TLS.
	provider string
	https    bool
	// during disturbs the program repeatedly during apply and rotate.
	during func(t *testing.T, p *program)
	// fault strikes the service during rotate.
	fault *emulator.Fault
	// fails maps each operation that must fail to a pattern of its error. All other operations must succeed.
	fails map[string]string
	// direct lists the operations that bypass the program, so that there are groups for the others. "prepare" is an
	// apply before all operations, and makes destroy bypass the program unless it must fail.
	direct []string
	// rotations is the expected number of rotations beyond one per group.
	rotations int
	// advice is the last column of the table.
	advice string
}

const (
	apply, plan, rotate, imports, data, destroy = "apply", "plan", "rotate", "import", "data", "destroy"

	clientCertificate = `
  ca_cert_file     = "DIR/server.pem"
  client_cert_file = "DIR/client.pem"
  client_key_file  = "DIR/client.key"`
	cached   = `A cache may have returned`
	dropped  = `drops the body|drop or refuse\s+the body|drops or refuses the body`
	password = `proxy_url = "http://user:pass%40word@ADDRESS"`
)

var operations = []string{apply, plan, rotate, imports, data, destroy}

// failing returns a value for fails in which all operations fail with the same error.
func failing(says string, operations ...string) map[string]string {
	fails := map[string]string{}
	for _, operation := range operations {
		fails[operation] = says
	}
	return fails
}

var lostRotation = &emulator.Fault{Method: "POST", Nth: 7, Kind: emulator.CutAfterWork}

var settings = []setting{
	{program: "nginx", is: "`proxy_pass`", advice: "nothing"},
	{
		program: "nginx", is: "TLS with a client certificate", features: "tls", provider: clientCertificate,
		advice: "`client_cert_file`, `client_key_file`, `ca_cert_file`",
	},
	{
		program: "nginx", is: "TLS without a client certificate", features: "tls",
		provider: "\n  ca_cert_file = \"DIR/server.pem\"",
		fails:    failing("client_cert_file", apply, plan, rotate, imports, data, destroy), direct: []string{"prepare"},
		advice: "`client_cert_file`, `client_key_file`",
	},
	{program: "nginx", is: "`limit_req` with its default status, 503", features: "limit", advice: "nothing"},
	{program: "nginx", is: "`limit_req` with status 429", features: "limit,limit 429", advice: "nothing"},
	{program: "nginx", is: "reloaded during the run", during: reload, advice: "nothing"},
	{program: "nginx", is: "workers killed during the run", during: killWorkers, advice: "nothing"},
	{
		program: "nginx", is: "`proxy_cache`", features: "cache", direct: []string{apply, rotate, destroy},
		fails: failing(cached, plan, imports, data), advice: "`proxy_cache off` for the service",
	},
	{
		program: "nginx", is: "`proxy_cache` with `$request_body` in its key", features: "cache,by body",
		direct: []string{apply, rotate, destroy}, fails: failing(cached, imports, data),
		advice: "`proxy_cache off` for the service",
	},
	{program: "haproxy", is: "default settings", advice: "nothing"},
	{
		program: "haproxy", is: "`retry-on all-retryable-errors`", features: "retry", fault: lostRotation, rotations: 1,
		advice: "`http-request disable-l7-retry if METH_POST`; otherwise, haproxy repeats a rotation whose response is lost",
	},
	{
		program: "haproxy", is: "the same, with `disable-l7-retry if METH_POST`", features: "retry,not POST",
		fault:  lostRotation,
		advice: "nothing",
	},
	{
		program: "varnishd", is: "default settings", fails: failing(dropped, apply, plan, rotate, imports, data),
		direct: []string{"prepare"},
		advice: "`return (pass)` in `vcl_recv`, `return (fetch)` in `vcl_backend_fetch`",
	},
	{program: "varnishd", is: "with both", features: "bodies", advice: "nothing"},
	{program: "squid", is: "CONNECT with a password", https: true, provider: password, advice: "`proxy_url`"},
	{
		program: "squid", is: "CONNECT without the password", https: true, provider: `proxy_url = "http://ADDRESS"`,
		fails: failing("407", apply, plan, rotate, imports, data, destroy), direct: []string{"prepare"},
		advice: "`proxy_url`",
	},
	{
		program: "squid", is: "plain http with a password", provider: password, direct: []string{"prepare"},
		fails: failing(dropped, apply, plan, rotate, imports, data), advice: "`request_entities on`, or an `https` address",
	},
	{
		program: "squid", is: "the same, with `request_entities on`", features: "bodies", provider: password,
		advice: "`proxy_url`",
	},
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
	table := make([]string, len(settings))
	t.Run("behind", func(t *testing.T) {
		for i, s := range settings {
			t.Run(strings.ReplaceAll(s.program+" "+s.is, "`", ""), func(t *testing.T) {
				engine.NeedsProgram(t, s.program)
				t.Parallel()
				w := &workspace{t: t, engine: found, configuration: configuration, setting: s, dir: t.TempDir()}
				table[i] = fmt.Sprintf("| %s | %s | %s | %s |", s.program, s.is, w.run(), s.advice)
			})
		}
	})
	rows := strings.Join(slices.DeleteFunc(table, func(row string) bool { return row == "" }), "\n")
	fmt.Printf("\n| program | setting | %s | what to set |\n|---|---|%s---|\n%s\n",
		strings.Join(operations, " | "), strings.Repeat("---|", len(operations)), rows)
}

// run runs all operations of the setting, checks their results, and returns the cells of the table.
func (w *workspace) run() string {
	t, s := w.t, w.setting
	w.service = protocoltest.StartService(t, emulator.Options{Latency: 5 * time.Millisecond})
	w.program = start(t, s, w.service)
	prepared := slices.Contains(s.direct, "prepare")
	if prepared {
		if said, ok := w.do(true, apply, "Q1"); !ok {
			t.Fatalf("apply without %s in between failed:\n%s", s.program, said)
		}
	}
	if s.Has("cache") {
		w.fillCache()
	}
	var cells []string
	for _, operation := range operations {
		direct := slices.Contains(s.direct, operation) || operation == destroy && prepared && s.fails[destroy] == ""
		before := len(w.service.Calls())
		if s.fault != nil && operation == rotate {
			w.service.Fail(*s.fault)
		}
		var stop func()
		if s.during != nil && (operation == apply || operation == rotate) {
			stop = w.disturb(s.during)
		}
		quarter := "Q1"
		if operation == rotate || s.fails[rotate] == "" && operation != apply && operation != plan {
			quarter = "Q2"
		}
		said, ok := w.do(direct, operation, quarter)
		if stop != nil {
			stop()
		}
		if direct {
			cells = append(cells, "–")
			if !ok {
				t.Fatalf("%s without %s in between failed:\n%s", operation, s.program, said)
			}
			continue
		}
		w.check(operation, said, ok)
		rotated, deleted := 0, 0
		for _, call := range w.service.Calls()[before:] {
			if call.Rotated {
				rotated++
			}
			if call.Deleted && !strings.HasPrefix(call.ID, "terraform-provider-embed-check-") {
				deleted++
			}
		}
		cell := map[bool]string{true: "works", false: "fails"}[ok]
		switch {
		case s.fails[operation] != "":
			if deleted+rotated > 0 {
				t.Errorf("%s must fail without changes, but %d groups were deleted and %d rotated", operation, deleted, rotated)
			}
		case operation == rotate && rotated != groups+s.rotations:
			t.Errorf("%d rotations of %d groups, want one per group and %d more", rotated, groups, s.rotations)
		case operation == rotate && rotated > groups:
			cell = fmt.Sprintf("%d rotations instead of %d", rotated, groups)
		case operation == destroy && len(w.service.Groups()) > 0:
			t.Errorf("destroy left %d groups behind", len(w.service.Groups()))
		case operation != destroy && operation != apply && deleted > 0:
			t.Errorf("%s deleted %d groups", operation, deleted)
		}
		cells = append(cells, cell)
	}
	return strings.Join(cells, " | ")
}

// check compares the result of an operation with the setting's fails.
func (w *workspace) check(operation, said string, ok bool) {
	w.t.Helper()
	says := w.setting.fails[operation]
	unwrapped := strings.Join(strings.Fields(strings.ReplaceAll(said, "│", " ")), " ")
	if ok != (says == "") || says != "" && !regexp.MustCompile(says).MatchString(unwrapped) {
		if at := strings.Index(said, "Error: "); at > 0 {
			said = said[at:]
		}
		w.t.Errorf("%s: success is %v, want the error %q, empty for success:\n%.2000s", operation, ok, says, said)
	}
}

// TestSnippets: haproxy and nginx accept the lines that the guide shows.
func TestSnippets(t *testing.T) {
	if os.Getenv("EMBED_TEST_PROXIES") == "" {
		t.Skip("make test-proxies runs this")
	}
	page, err := os.ReadFile("../../docs/guides/proxies-and-gateways.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```text\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("the guide has %d text blocks, want 2", len(blocks))
	}
	dir := t.TempDir()
	for i, program := range []struct {
		name, above, below string
		arguments          []string
	}{
		{
			"haproxy",
			"defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\n" +
				"frontend in\n  bind 127.0.0.1:8698\n",
			"",
			[]string{"-c", "-f"},
		},
		{
			"nginx",
			"events {}\nhttp { upstream dashboards { server 127.0.0.1:9; } server { listen 127.0.0.1:8699;\n", "} }\n",
			[]string{"-t", "-g", "pid " + dir + "/pid; error_log stderr;", "-c"},
		},
	} {
		t.Run(program.name, func(t *testing.T) {
			path := engine.NeedsProgram(t, program.name)
			config := filepath.Join(dir, program.name)
			if err := os.WriteFile(config, []byte(program.above+blocks[i][1]+program.below), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), path, append(program.arguments, config)...).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
