//go:build unix

package provider_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// role tells a process that runs this test binary what to be: the provider, or an engine that starts it.
const role = "EMBED_TEST_ROLE"

func init() {
	switch os.Getenv(role) {
	case "provider":
		if err := provider.Serve("test", false); err != nil {
			panic(err)
		}
		os.Exit(0)
	case "debugged":
		_ = provider.Serve("test", true)
	case "engine":
		beEngine()
	}
}

// command returns a command that runs this test binary in a role, as an engine starts a provider.
func command(ctx context.Context, as string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+as, "TF_LOG_SDK_FRAMEWORK=", "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	return cmd
}

// beEngine starts the provider, passes on the line that it prints, with its process ID, and waits to be killed.
func beEngine() {
	cmd := command(context.Background(), "provider")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, _ = os.Stdout.WriteString(strconv.Itoa(cmd.Process.Pid) + "|" + line)
	select {}
}

// server is a provider that an engine has started, as the line says that it prints.
type server struct {
	t      *testing.T
	pid    int
	client *http.Client
}

// started starts an engine with a provider for the service, and returns both.
func started(t *testing.T, service *emulator.Emulator) (*exec.Cmd, server) {
	t.Helper()
	engine := command(t.Context(), "engine")
	engine.Env = append(engine.Env, "EMBED_BASE_URL="+service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = said.Close() })
	engine.Stderr = said
	out, err := engine.StdoutPipe()
	if err == nil {
		err = engine.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Process.Kill(); _ = engine.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	parts := strings.Split(line, "|") // pid, core protocol, protocol, network, address, kind
	if err != nil || len(parts) < 6 {
		t.Fatalf("the provider printed %q: %v", line, err)
	}
	pid, _ := strconv.Atoi(parts[0])
	t.Cleanup(func() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_ = os.Remove(parts[4]) // A provider whose engine was killed leaves its socket.
	})
	transport := &http.Transport{
		Protocols: new(http.Protocols),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, parts[3], parts[4])
		},
	}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return engine, server{t, pid, &http.Client{Transport: transport, Timeout: 10 * time.Second}}
}

// field encodes a field of a message.
func field(number byte, content string) string {
	return string(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(content)))) + content
}

// call makes a gRPC call with a message, which has the given fields.
func (s server) call(method string, fields ...string) error {
	message := strings.Join(fields, "")
	framed := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://provider"+method,
		bytes.NewReader(framed))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = new(bytes.Buffer).ReadFrom(response.Body)
	if status := response.Trailer.Get("Grpc-Status"); err == nil && status != "0" {
		err = errors.New("gRPC status " + status + " " + response.Header.Get("Grpc-Status"))
	}
	return err
}

// wantAnswer checks that the provider answers.
func (s server) wantAnswer(when string) {
	s.t.Helper()
	if err := s.call("/tfplugin6.Provider/GetMetadata"); err != nil {
		s.t.Errorf("%s: %v", when, err)
	}
}

// wantEnd checks that the process ends within seconds. It may stay as a zombie if nobody waits for it.
func (s server) wantEnd(when string) {
	s.t.Helper()
	for range 100 {
		if s.hasEnded() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Errorf("%s: the provider is still there", when)
}

func (s server) hasEnded() bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/stat")
	if errors.Is(err, os.ErrNotExist) && runtime.GOOS == "linux" {
		return true
	}
	return errors.Is(syscall.Kill(s.pid, 0), syscall.ESRCH) || bytes.Contains(stat, []byte(") Z "))
}

// signals are those that end an engine, and that its process group may get, too.
var signals = []syscall.Signal{
	syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGQUIT, syscall.SIGTERM,
}

// TestSignalsAndTheEngine checks that the provider goes on after a signal to the process group, so that the call under
// way is not lost, and that it ends with the engine, whether that ends it or is killed. A lookup that is under way then
// leaves nothing behind.
func TestSignalsAndTheEngine(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(engine *exec.Cmd, s server){
		// The provider may be gone before its response is.
		"ended by the engine":  func(_ *exec.Cmd, s server) { _ = s.call("/plugin.GRPCController/Shutdown") },
		"the engine is killed": func(engine *exec.Cmd, _ server) { _ = engine.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := protocoltest.StartService(t, emulator.Options{Latency: 300 * time.Millisecond})
			engine, s := started(t, service)
			s.wantAnswer("at first")
			for _, signal := range signals {
				if err := syscall.Kill(s.pid, signal); err != nil {
					t.Fatal(err)
				}
				time.Sleep(200 * time.Millisecond)
				s.wantAnswer("after " + signal.String())
			}
			if err := s.call("/tfplugin6.Provider/ConfigureProvider", field(2, field(2, "{}"))); err != nil {
				t.Fatal(err)
			}
			go func() {
				_ = s.call("/tfplugin6.Provider/ReadDataSource", field(1, protocoltest.ResourceType),
					field(2, field(2, `{"user_group_id":"nobody"}`)))
			}()
			for began := time.Now(); len(service.Groups()) == 0; time.Sleep(10 * time.Millisecond) {
				if time.Since(began) > 10*time.Second {
					t.Fatal("no lookup begins")
				}
			}
			end(engine, s)
			s.wantEnd(name)
			protocoltest.WantGroups(t, service, nil)
			// go-plugin writes a few lines for each process. Those of the SDK would be some for each call.
			logs, err := os.ReadFile(engine.Stderr.(*os.File).Name())
			if err != nil || bytes.Contains(logs, []byte(`"@module":"sdk.`)) {
				t.Errorf("nobody wants logs, and the provider writes %s (%v)", logs, err)
			}
		})
	}
}

// TestADebuggerIsToldHowToAttach checks that a provider that no engine has started prints how to attach.
func TestADebuggerIsToldHowToAttach(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	debugged := command(ctx, "debugged")
	out, err := debugged.StdoutPipe()
	if err == nil {
		err = debugged.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = debugged.Process.Kill(); _ = debugged.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "TF_REATTACH_PROVIDERS='{"+strconv.Quote(provider.Address)) {
			return
		}
	}
	t.Error("the provider does not print how to attach")
}
