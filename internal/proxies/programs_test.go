//go:build unix

package proxies

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// program is a running program in its own process group. Its exported fields and methods are for the templates in
// testdata.
type program struct {
	Dir, Address, Service, ServiceHost, ServicePort string
	Root                                            bool
	setting
	command *exec.Cmd
	// url is the address of the program, and direct is the address of the service.
	url, direct string
}

// start starts the program of a setting in front of the service, and waits until it listens. The program stops when
// the test ends.
func start(t *testing.T, s setting, service *emulator.Emulator) *program {
	t.Helper()
	p := &program{Dir: t.TempDir(), Address: freeAddress(t), Root: os.Getuid() == 0, setting: s, direct: service.URL()}
	// A program that has dropped root privileges must be able to read its directory.
	if err := os.Chmod(filepath.Dir(p.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	certificate(t, p.Dir, "server")
	certificate(t, p.Dir, "client")
	if s.https {
		p.direct = overTLS(t, p.Dir, service)
	}
	p.Service = strings.SplitN(p.direct, "://", 2)[1]
	p.ServiceHost, p.ServicePort, _ = net.SplitHostPort(p.Service)
	p.url = "http://" + p.Address
	if s.Has("tls") {
		p.url = "https://" + p.Address
	}
	configuration := filepath.Join(p.Dir, "conf")
	var text bytes.Buffer
	parsed := template.Must(template.ParseFiles(filepath.Join("testdata", s.program+".conf")))
	if err := parsed.Execute(&text, p); err != nil {
		t.Fatal(err)
	}
	write(t, configuration, text.String())
	write(t, filepath.Join(p.Dir, "password"),
		`while read -r line; do case $line in "user pass@word" | "user pass%40word") echo OK ;; *) echo ERR ;; esac; done`)

	_, port, _ := net.SplitHostPort(p.Address)
	arguments := map[string][]string{
		"nginx":    {"-p", p.Dir, "-e", "stderr", "-c", configuration},
		"haproxy":  {"-db", "-f", configuration},
		"varnishd": {"-F", "-j", "none", "-n", p.Dir, "-a", p.Address, "-f", configuration, "-s", "malloc,32m"},
		"squid":    {"-N", "-n", "embed" + port, "-f", configuration},
	}[s.program]
	p.command = exec.Command(s.program, arguments...)
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	p.command.Stdout, p.command.Stderr = &said, &said
	p.command.WaitDelay = 5 * time.Second
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGTERM)
		time.AfterFunc(5*time.Second, func() { _ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) })
		_ = p.command.Wait()
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
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

func reload(t *testing.T, p *program) {
	if err := p.command.Process.Signal(syscall.SIGHUP); err != nil {
		t.Error(err)
	}
}

// killWorkers kills the program's child processes, which cuts all connections and the requests on them.
func killWorkers(t *testing.T, p *program) {
	if err := exec.Command("pkill", "-KILL", "-P", strconv.Itoa(p.command.Process.Pid)).Run(); err != nil {
		t.Error(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T, dir, name string) {
	t.Helper()
	certificate, key := protocoltest.CertificatePair(t, time.Hour)
	write(t, filepath.Join(dir, name+".pem"), certificate)
	write(t, filepath.Join(dir, name+".key"), key)
}

// overTLS serves the service over TLS, writes the certificate "server", and returns the address.
func overTLS(t *testing.T, dir string, service *emulator.Emulator) string {
	t.Helper()
	server := httptest.NewUnstartedServer(service)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	write(t, filepath.Join(dir, "server.pem"), string(certificate))
	return server.URL
}

// workspace is a working directory of the engine, with the program of a setting and the service behind it.
type workspace struct {
	t             *testing.T
	engine        engine.Engine
	configuration string
	setting       setting
	program       *program
	service       *emulator.Emulator
	dir           string
}

// do runs an operation with the engine, either through the program or directly. It returns the engine's output and
// whether the operation succeeded.
func (w *workspace) do(direct bool, operation, quarter string) (said string, ok bool) {
	w.t.Helper()
	address, arguments := w.program.url, w.setting.provider
	if direct || w.setting.program == "squid" {
		address = w.program.direct
	}
	if direct {
		arguments = ""
	}
	if w.setting.https {
		arguments += "\n  ca_cert_file = \"DIR/server.pem\""
	}
	arguments = strings.NewReplacer("DIR", w.program.Dir, "ADDRESS", w.program.Address).Replace(arguments)
	one, more := "group-3", ""
	if w.setting.Has("cache") {
		one = shell
	}
	if operation == data {
		more = "\ndata \"embed_user_group\" \"one\" {\n  user_group_id = \"" + one + "\"\n}\n"
	}
	write(w.t, filepath.Join(w.dir, "main.tf"), `terraform {
  required_providers {
    embed = { source = "dashembed/embed" }
  }
}

provider "embed" {
  base_url = "`+address+`"
  api_key  = "`+emulator.DefaultKey+`"
  `+arguments+`
}

resource "embed_user_group" "all" {
  count                     = `+strconv.Itoa(groups)+`
  user_group_id             = "group-${count.index}"
  name                      = "Group ${count.index}"
  rotate_token_when_changed = { quarter = "`+quarter+`" }
}
`+more)
	switch operation {
	case apply, rotate:
		return w.terraform("apply", "-auto-approve")
	case plan:
		return w.terraform("plan", "-detailed-exitcode")
	case imports:
		empty := filepath.Join(w.t.TempDir(), "state")
		return w.terraform("import", "-state="+empty, "embed_user_group.all[3]", one)
	case data:
		return w.terraform("plan", "-refresh=false")
	default:
		return w.terraform("destroy", "-auto-approve")
	}
}

func (w *workspace) terraform(arguments ...string) (said string, ok bool) {
	arguments = append(arguments, "-no-color")
	command := w.engine.Command(w.t.Context(), w.dir, engine.Environment(w.configuration), arguments...)
	output, err := command.CombinedOutput()
	return string(output), err == nil
}

// disturb calls how each time the service has received at least 20 more calls, until stop is called.
func (w *workspace) disturb(how func(*testing.T, *program)) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for before := len(w.service.Calls()); ; {
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if now := len(w.service.Calls()); now >= before+20 {
				how(w.t, w.program)
				before = now
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// shell is the ID of a group that the cache shows as new.
const shell = "shell"

// fillCache creates the group shell through the program, which caches the response.
func (w *workspace) fillCache() {
	base, err := api.ParseBaseURL(w.program.url, false)
	if err != nil {
		w.t.Fatal(err)
	}
	client := api.New(api.Config{
		BaseURL: base, APIKey: api.NewSecret(emulator.DefaultKey), RequestTimeout: time.Minute,
	})
	if _, err := client.GetOrCreate(w.t.Context(), api.GroupRequest{UserGroupID: shell}); err != nil {
		w.t.Fatal(err)
	}
}
