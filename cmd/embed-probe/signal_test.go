//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// TestMain runs the command itself if TestSignals has started this process.
func TestMain(m *testing.M) {
	if os.Getenv("EMBED_PROBE_TEST") != "" {
		os.Args = os.Args[:1]
		main()
	}
	os.Exit(m.Run())
}

// TestSignals: the probe removes its groups after a signal, also if it is followed by others, and after the reader of
// its progress is gone.
func TestSignals(t *testing.T) {
	for name, disturb := range map[string]func(*exec.Cmd, func() error){
		"interrupted": func(command *exec.Cmd, _ func() error) {
			for range 3 {
				_ = command.Process.Signal(syscall.SIGINT)
				time.Sleep(20 * time.Millisecond)
			}
		},
		"terminated":  func(command *exec.Cmd, _ func() error) { _ = command.Process.Signal(syscall.SIGTERM) },
		"reader gone": func(_ *exec.Cmd, unread func() error) { _ = unread() },
	} {
		t.Run(name, func(t *testing.T) {
			service := start(t, emulator.Options{
				Environments: map[string]string{emulator.DefaultKey: "Testing"}, Latency: 40 * time.Millisecond,
			})
			command := exec.CommandContext(t.Context(), os.Args[0])
			command.Env = append(os.Environ(), "EMBED_PROBE_TEST=1")
			progress, err := command.StderrPipe()
			if err == nil {
				err = command.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(progress)
			for lines.Scan() && !strings.Contains(lines.Text(), "IDs differ") {
			}
			time.Sleep(120 * time.Millisecond) // Some of the groups exist now.
			disturb(command, progress.Close)
			for lines.Scan() {
			}
			_ = command.Wait()
			if code := command.ProcessState.ExitCode(); code != 1 && name != "reader gone" {
				t.Errorf("exit code %d, want 1", code)
			}
			if groups := service.Groups(); len(groups) > 0 || len(service.Calls()) < 18 {
				t.Errorf("left %v after %v", groups, service.Calls())
			}
		})
	}
}
