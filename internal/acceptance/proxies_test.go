//go:build unix

package acceptance

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
)

// TestProxies tests the provider behind programs that stand between Terraform and the service. It starts each of them
// on the loopback interface, with a configuration from testdata/proxies.
func TestProxies(t *testing.T) {
	t.Parallel()
	if os.Getenv("EMBED_TEST_PROXIES") == "" {
		t.Skip("make test-proxies runs this")
	}
	for _, s := range proxySetups {
		t.Run(s.program+" "+s.name, func(t *testing.T) {
			t.Parallel()
			engine.NeedsProgram(t, s.program)
			bench := workbenchWith(t, emulator.Options{Latency: 5 * time.Millisecond})
			w := &proxied{workbench: bench, proxySetup: s}
			w.starts()
			w.runsAll()
		})
	}
}

// proxiedGroups is the number of groups that each of these tests creates.
const proxiedGroups = 50

// proxySetup is a program with a configuration, and the expected results of running operations through it.
type proxySetup struct {
	program, name string
	// features is a comma-separated list of what the configuration has. With https, the service itself uses TLS.
	features string
	// arguments contains additional arguments of the provider block.
	arguments string
	// during disturbs the program repeatedly during toApply and toRotate.
	during func(w *proxied)
	// fault strikes the service during toRotate, and rotations is the expected number of rotations beyond one per group.
	fault     *emulator.Fault
	rotations int
	// prepared means that the groups are created before all operations, without the program in between.
	prepared bool
	// direct lists the operations that bypass the program.
	direct []operation
	// errors maps each operation that must fail to words of its error. All other operations must succeed.
	errors map[operation]string
}

// operation is a run of the engine.
type operation string

// toApply creates the groups, and toRotate updates all of them, too.
const (
	toApply   operation = "apply"
	toPlan    operation = "plan"
	toRotate  operation = "rotate"
	toImport  operation = "import"
	toLookUp  operation = "data source"
	toDestroy operation = "destroy"
)

// operations are in the order of the test.
var operations = []operation{toApply, toPlan, toRotate, toImport, toLookUp, toDestroy}

const (
	trustsServer = `ca_cert_pem = file("DIR/server.pem")` + "\n"
	showsClient  = `client_cert_pem = file("DIR/client.pem")` + "\n" + `client_key_pem = file("DIR/client.key")` + "\n"

	saysCached  = `Otherwise, look for a cache`
	saysDropped = `drops the body`
	saysUnknown = `It is not known whether the token was rotated`
	saysRefused = `refuse GET and DELETE requests with a body`
)

// failing returns a value for errors.
func failing(says string, operations ...operation) map[operation]string {
	errors := map[operation]string{}
	for _, o := range operations {
		errors[o] = says
	}
	return errors
}

var (
	allButDestroy = operations[:len(operations)-1]
	changes       = []operation{toApply, toRotate, toDestroy}
	lostRotation  = &emulator.Fault{Method: "POST", Nth: 7, Kind: emulator.CutAfterWork}
)

var proxySetups = []proxySetup{
	{program: "nginx", name: "proxy_pass"},
	{program: "nginx", name: "TLS with a client certificate", features: "tls", arguments: trustsServer + showsClient},
	{
		program: "nginx", name: "TLS without a client certificate", features: "tls", arguments: trustsServer,
		errors: failing("No required SSL certificate was sent", operations...), prepared: true,
	},
	{program: "nginx", name: "limit_req", features: "limit"},
	{program: "nginx", name: "reloaded during the run", during: reload},
	{program: "nginx", name: "workers killed during the run", during: killWorkers},
	{
		program: "nginx", name: "proxy_cache", features: "cache", direct: changes,
		errors: failing(saysCached, toPlan, toImport, toLookUp),
	},
	{
		program: "nginx", name: "proxy_cache with the body in its key", features: "cache,by body", direct: changes,
		errors: failing(saysCached, toImport, toLookUp),
	},
	{program: "nginx", name: "the example for other methods and paths", features: "recipe"},
	{program: "haproxy", name: "default"},
	{program: "haproxy", name: "retry-on", features: "retry", fault: lostRotation, rotations: 1},
	{program: "haproxy", name: "retry-on with the example", features: "retry,example", fault: lostRotation},
	{
		program: "varnishd", name: "default", errors: failing(saysDropped, allButDestroy...), prepared: true,
		direct: []operation{toDestroy},
	},
	{program: "varnishd", name: "pass and fetch", features: "bodies"},
	{program: "squid", name: "CONNECT with a password", features: "https,password", arguments: trustsServer},
	{
		program: "squid", name: "CONNECT without the password", features: "https", arguments: trustsServer,
		errors: failing("407", operations...), prepared: true,
	},
	{
		program: "squid", name: "http", features: "password", arguments: "allow_http = true",
		errors: failing(saysRefused, allButDestroy...), prepared: true, direct: []operation{toDestroy},
	},
	{program: "squid", name: "request_entities on", features: "password,bodies", arguments: "allow_http = true"},
}

// Has reports whether the configuration has a feature.
func (s proxySetup) Has(feature string) bool {
	return slices.Contains(strings.Split(s.features, ","), feature)
}

// runsAll runs all operations, and checks their results.
func (w *proxied) runsAll() {
	if w.prepared {
		if code, said := w.runs(toApply, true); code != 0 {
			w.t.Fatalf("apply without %s in between failed:\n%s", w.program, said)
		}
	}
	if w.Has("cache") {
		w.fillCache()
	}
	if w.Has("limit") {
		w.meetLimit()
	}
	for _, o := range operations {
		w.check(o)
	}
}

// check runs an operation, and checks what it says and what it does.
func (w *proxied) check(o operation) {
	w.t.Helper()
	says, direct := w.errors[o], slices.Contains(w.direct, o)
	w.service.ResetCounts()
	if w.fault != nil && o == toRotate {
		w.service.Fail(*w.fault)
	}
	stop := func() {}
	if w.during != nil && (o == toApply || o == toRotate) {
		stop = w.disturb()
	}
	want, rotations := w.left(), 0
	if says == "" {
		switch o {
		case toApply:
			want = proxiedGroups
		case toRotate:
			rotations = proxiedGroups + w.rotations
		case toDestroy:
			want = 0
		}
	}
	code, said := w.runs(o, direct)
	stop()
	// Within a run, no rotation is sent again. The next one makes those that were lost on the way.
	if w.during != nil && o == toRotate && strings.Contains(oneLine(said), saysUnknown) {
		code, said = w.runs(o, direct)
	}
	if (code == 0) != (says == "") || !strings.Contains(oneLine(said), says) {
		w.t.Errorf("%s: exit code %d, want the error %q, empty for success:\n%.2000s", o, code, says,
			said[max(0, strings.Index(said, "Error: ")):])
	}
	if got := w.service.Count("rotated", ""); got != rotations {
		w.t.Errorf("%s: %d rotations of %d groups, want %d", o, got, proxiedGroups, rotations)
	}
	if got := w.left(); got != want {
		w.t.Errorf("%s: the service has %d groups, want %d", o, got, want)
	}
}

// left returns the number of the customers' groups at the service.
func (w *proxied) left() (n int) {
	for _, group := range w.service.Groups() {
		if strings.HasPrefix(group.ID, "group-") {
			n++
		}
	}
	return n
}

// runs runs an operation, either through the proxy or directly. It returns the engine's exit code and output.
func (w *proxied) runs(o operation, direct bool) (code int, said string) {
	w.t.Helper()
	one := "group-3"
	if w.Has("cache") {
		one = cachedGroup
	}
	quarter := "Q2"
	if o == toApply || o == toPlan {
		quarter = "Q1"
	}
	arguments := strings.ReplaceAll(w.arguments, "DIR", w.Dir)
	all := group("all", fmt.Sprintf("count = %d", proxiedGroups), `user_group_id = "group-${count.index}"`,
		fmt.Sprintf(`name = "Group ${count.index} in %s"`, quarter),
		fmt.Sprintf("rotate_token_when_changed = { quarter = %q }", quarter))
	blocks := []string{"provider \"embed\" {\n" + arguments + "\n}\n", all}
	if o == toLookUp {
		blocks = append(blocks, fmt.Sprintf("data \"embed_user_group\" \"one\" {\n  user_group_id = %q\n}\n", one))
	}
	w.configure(blocks...)
	w.env = append(w.env, w.environment(direct)...)
	return w.run(map[operation][]string{
		toApply: {"apply", "-auto-approve"}, toRotate: {"apply", "-auto-approve"}, toPlan: {"plan", "-detailed-exitcode"},
		toImport: {"import", "-state=" + filepath.Join(w.t.TempDir(), "state"), "embed_user_group.all[3]", one},
		toLookUp: {"plan", "-refresh=false"}, toDestroy: {"destroy", "-auto-approve"},
	}[o]...)
}

// environment returns the variables with which the provider finds the service, either through the proxy or directly.
func (w *proxied) environment(direct bool) []string {
	address, proxy := "http://"+w.Address, ""
	if w.Has("tls") {
		address = "https://" + w.Address
	}
	switch {
	case direct:
		address = w.serviceURL
	case w.program == "squid":
		address = strings.Replace(w.serviceURL, w.ServiceHost, certifiedHost, 1)
		proxy = "http://" + w.Address
		if w.Has("password") {
			proxy = "http://user:pass%40word@" + w.Address
		}
	}
	return []string{"EMBED_BASE_URL=" + address, "HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy}
}

// disturb disturbs the program at every 20th call that the service receives, until stop is called.
func (w *proxied) disturb() (stop func()) {
	var calls atomic.Int64
	w.service.BeforeCall(func(emulator.Call) {
		if calls.Add(1)%20 == 0 {
			w.during(w)
		}
	})
	return func() { w.service.BeforeCall(nil) }
}

// meetLimit checks that the program refuses calls that are made one right after the other.
func (w *proxied) meetLimit() {
	w.t.Helper()
	for range 10 {
		response, err := http.Get("http://" + w.Address)
		if err != nil {
			w.t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusTooManyRequests {
			return
		}
	}
	w.t.Errorf("%s refuses no call", w.program)
}

// cachedGroup is the ID of a group that the cache shows as new.
const cachedGroup = "cached"

// fillCache creates cachedGroup through the program, which caches the response.
func (w *proxied) fillCache() {
	w.t.Helper()
	body := strings.NewReader(`{"user_group_id":"` + cachedGroup + `"}`)
	request := httptest.NewRequest(http.MethodGet, "http://"+w.Address+"/api/user", body)
	request.RequestURI = ""
	request.Header = http.Header{"Authorization": {"Token " + emulator.DefaultKey}, "Content-Type": {"application/json"}}
	if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusOK {
		w.t.Fatal(err, response)
	}
}
