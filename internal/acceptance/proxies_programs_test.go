//go:build unix

package acceptance

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
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// proxied is a workbench with the program of a setup in front of its service. The program is in a process group of its
// own. Exported fields and methods are for the templates in testdata/proxies.
type proxied struct {
	*workbench
	proxySetup
	Dir, Address, Service, ServiceHost, ServicePort string
	Root                                            bool
	command                                         *exec.Cmd
	serviceURL                                      string // the address of the service itself
}

// starts starts the program, and waits until it listens. The program stops when the test ends.
func (w *proxied) starts() {
	w.t.Helper()
	free := httptest.NewUnstartedServer(nil).Listener
	_ = free.Close()
	w.Dir, w.Address, w.Root, w.serviceURL = w.t.TempDir(), free.Addr().String(), os.Getuid() == 0, w.service.URL()
	// A program that has dropped root privileges must be able to read its directory.
	if err := os.Chmod(filepath.Dir(w.Dir), 0o755); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range []string{"server", "client"} {
		certificate, key := protocoltest.CertificatePair(w.t, time.Hour)
		w.provide(name+".pem", certificate)
		w.provide(name+".key", key)
	}
	if w.Has("https") {
		w.serviceURL = w.overTLS(w.service)
	} else if w.Has("recipe") {
		w.serviceURL = w.overTLS(renamed(w.service))
	}
	w.Service = strings.SplitN(w.serviceURL, "://", 2)[1]
	w.ServiceHost, w.ServicePort, _ = net.SplitHostPort(w.Service)
	var text bytes.Buffer
	parsed := template.Must(template.ParseFiles(filepath.Join("testdata", "proxies", w.program+".conf")))
	if err := parsed.Execute(&text, w); err != nil {
		w.t.Fatal(err)
	}
	configuration := w.provide("conf", text.String())
	w.provide("hosts", "127.0.0.1 "+certifiedHost+"\n")
	w.provide("password",
		`while read -r line; do case $line in "user pass@word" | "user pass%40word") echo OK ;; *) echo ERR ;; esac; done`)

	_, port, _ := net.SplitHostPort(w.Address)
	w.command = exec.Command(w.program, map[string][]string{
		"nginx":    {"-p", w.Dir, "-e", "stderr", "-c", configuration},
		"haproxy":  {"-db", "-f", configuration},
		"varnishd": {"-F", "-j", "none", "-n", w.Dir, "-a", w.Address, "-f", configuration, "-s", "malloc,32m"},
		"squid":    {"-N", "-n", "embed" + port, "-f", configuration},
	}[w.program]...)
	w.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	w.command.Stdout, w.command.Stderr, w.command.WaitDelay = &said, &said, 5*time.Second
	if err := w.command.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = syscall.Kill(-w.command.Process.Pid, syscall.SIGKILL)
		_ = w.command.Wait()
		if w.t.Failed() {
			w.t.Logf("output of %s:\n%s", w.program, said.String())
		}
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", w.Address)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s does not listen", w.program)
		}
	}
}

func reload(w *proxied) {
	if err := w.command.Process.Signal(syscall.SIGHUP); err != nil {
		w.t.Error(err)
	}
}

// killWorkers kills the program's child processes, which cuts all connections and the requests on them. It waits until
// there are some: those that were killed just before may not have been replaced yet.
func killWorkers(w *proxied) {
	const noneFound = 1
	for range 100 {
		command := exec.Command("pkill", "-KILL", "-P", strconv.Itoa(w.command.Process.Pid))
		err := command.Run()
		if err == nil {
			return
		}
		if command.ProcessState.ExitCode() != noneFound {
			w.t.Error(err)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.t.Error("there are no workers to kill")
}

// provide writes a file to the program's directory, and returns its path.
func (w *proxied) provide(name, text string) (path string) {
	w.t.Helper()
	path = filepath.Join(w.Dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// overTLS serves the service over TLS, writes the certificate "server", and returns the address.
func (w *proxied) overTLS(service http.Handler) string {
	server := httptest.NewUnstartedServer(service)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	w.t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	w.provide("server.pem", string(certificate))
	return server.URL
}

// certifiedHost is a name in the certificate of overTLS. What is for the loopback interface, Go sends to no proxy.
const certifiedHost = "example.com"

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

// Example returns a file of examples/gateway, with the addresses and files of this test.
func (w *proxied) Example(name string) string {
	w.t.Helper()
	return strings.NewReplacer("dashboards.example.com:443", w.Service, "127.0.0.1:8080", w.Address,
		"dashboards.example.com", certifiedHost, "/etc/ssl/certs/ca-certificates.crt", w.Dir+"/server.pem",
	).Replace(readPage(w.t, filepath.Join(examplesDir, "gateway", name)))
}
