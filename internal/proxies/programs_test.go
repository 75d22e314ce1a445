//go:build unix

package proxies

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// program is a running program in its own process group. Its exported fields and methods are for the templates in
// testdata.
type program struct {
	Dir, Address, Service, ServiceHost, ServicePort string
	Root                                            bool
	setting
	t       *testing.T
	command *exec.Cmd
	direct  string // the address of the service
}

// start starts the program of a setting in front of the service, and waits until it listens. The program stops when
// the test ends.
func start(t *testing.T, s setting, service *emulator.Emulator) *program {
	t.Helper()
	free := httptest.NewUnstartedServer(nil).Listener
	_ = free.Close()
	p := &program{
		t: t, Dir: t.TempDir(), Address: free.Addr().String(), Root: os.Getuid() == 0, setting: s, direct: service.URL(),
	}
	// A program that has dropped root privileges must be able to read its directory.
	if err := os.Chmod(filepath.Dir(p.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"server", "client"} {
		certificate, key := protocoltest.CertificatePair(t, time.Hour)
		p.write(name+".pem", certificate)
		p.write(name+".key", key)
	}
	if s.Has("https") {
		p.direct = p.overTLS(service)
	} else if s.Has("recipe") {
		p.direct = p.overTLS(renamed(service))
	}
	p.Service = strings.SplitN(p.direct, "://", 2)[1]
	p.ServiceHost, p.ServicePort, _ = net.SplitHostPort(p.Service)
	var text bytes.Buffer
	parsed := template.Must(template.ParseFiles(filepath.Join("testdata", s.program+".conf")))
	if err := parsed.Execute(&text, p); err != nil {
		t.Fatal(err)
	}
	configuration := p.write("conf", text.String())
	p.write("hosts", "127.0.0.1 "+host+"\n")
	p.write("password",
		`while read -r line; do case $line in "user pass@word" | "user pass%40word") echo OK ;; *) echo ERR ;; esac; done`)

	_, port, _ := net.SplitHostPort(p.Address)
	p.command = exec.Command(s.program, map[string][]string{
		"nginx":    {"-p", p.Dir, "-e", "stderr", "-c", configuration},
		"haproxy":  {"-db", "-f", configuration},
		"varnishd": {"-F", "-j", "none", "-n", p.Dir, "-a", p.Address, "-f", configuration, "-s", "malloc,32m"},
		"squid":    {"-N", "-n", "embed" + port, "-f", configuration},
	}[s.program]...)
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	p.command.Stdout, p.command.Stderr, p.command.WaitDelay = &said, &said, 5*time.Second
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
		_ = p.command.Wait()
		if t.Failed() {
			t.Logf("output of %s:\n%s", s.program, said.String())
		}
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", p.Address)
		if err == nil {
			_ = conn.Close()
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen", s.program)
		}
	}
}

func reload(p *program) {
	if err := p.command.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Error(err)
	}
}

// killWorkers kills the program's child processes, which cuts all connections and the requests on them.
func killWorkers(p *program) {
	if err := exec.Command("pkill", "-KILL", "-P", strconv.Itoa(p.command.Process.Pid)).Run(); err != nil {
		p.t.Error(err)
	}
}

// write writes a file to the program's directory, and returns its path.
func (p *program) write(name, text string) (path string) {
	p.t.Helper()
	path = filepath.Join(p.Dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// overTLS serves the service over TLS, writes the certificate "server", and returns the address.
func (p *program) overTLS(service http.Handler) string {
	server := httptest.NewUnstartedServer(service)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	p.t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	p.write("server.pem", string(certificate))
	return server.URL
}

// host is a name in the certificate of overTLS. Go sends nothing to a proxy that is for the loopback interface.
const host = "example.com"

// renamed returns the service with methods and paths of its own, and with another header for the key.
func renamed(service http.Handler) http.Handler {
	methods := map[string]string{
		"POST /groups/ensure": "GET", "PATCH /groups": "PUT", "POST /groups/rotate": "POST", "DELETE /groups": "DELETE",
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := methods[r.Method+" "+r.RequestURI]
		if method == "" || r.Header.Get("Authorization") != "" {
			http.Error(w, "no such operation", http.StatusTeapot)
			return
		}
		r.Method, r.URL.Path = method, "/api/user"
		r.Header.Set("Authorization", "Token "+r.Header.Get("X-API-Key"))
		service.ServeHTTP(w, r)
	})
}

var fence = regexp.MustCompile("(?ms)^```text\n(.*?)^```$")

// Page returns the block of the guide Network that contains the words, with the addresses and files of this test.
func (p *program) Page(words string) string {
	p.t.Helper()
	pages, _ := filepath.Glob("../../templates/guides/network.md*")
	page, err := os.ReadFile(strings.Join(pages, ""))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		if strings.Contains(block[1], words) {
			return strings.NewReplacer("dashboards.example.com:443", p.Service, "127.0.0.1:8080", p.Address,
				"dashboards.example.com", host, "/etc/ssl/certs/ca-certificates.crt", p.Dir+"/server.pem").Replace(block[1])
		}
	}
	p.t.Fatalf("%s has no block with %q", pages, words)
	return ""
}
