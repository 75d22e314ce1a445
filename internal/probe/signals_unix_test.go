//go:build unix

package probe

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// TestMain runs the command itself if TestSignals has started this process. Otherwise, all tests run at once, because
// most of them do nothing but wait.
func TestMain(m *testing.M) {
	if os.Getenv("EMBED_PROBE_TEST") != "" {
		os.Exit(Command([]string{"-environment", "Customer"}, os.Getenv, os.Stdout, os.Stderr))
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestSignals: the probe removes its groups after a signal, also if it is followed by others, and after the reader of
// its progress is gone.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(process *os.Process, progress io.Closer){
		"interrupted": func(process *os.Process, _ io.Closer) { _ = process.Signal(syscall.SIGINT) },
		"reader gone": func(_ *os.Process, progress io.Closer) { _ = progress.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := start(t, emulator.Options{Latency: 40 * time.Millisecond})
			command := exec.CommandContext(t.Context(), os.Args[0])
			command.Env = append(os.Environ(), "EMBED_PROBE_TEST=1")
			for name, value := range variables(service) {
				command.Env = append(command.Env, name+"="+value)
			}
			progress, _ := command.StderrPipe()
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			disturbed := 0
			service.BeforeCall(func(call emulator.Call) {
				// From this group on, which is not the first one, every call is disturbed, and so are those that remove groups.
				if disturbed > 0 || strings.HasSuffix(call.ID, "-b") {
					disturb(command.Process, progress)
					disturbed++
				}
			})
			if err := command.Wait(); command.ProcessState.ExitCode() != 1 && name != "reader gone" {
				t.Errorf("%v, want exit code 1", err)
			}
			if groups := service.Groups(); len(groups) > 0 || disturbed < 2 {
				t.Errorf("%d disturbed calls, left %v after %v", disturbed, groups, service.Calls())
			}
		})
	}
}
