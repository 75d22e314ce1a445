//go:build unix

package endtoend

import (
	"os/exec"
	"syscall"
	"testing"
)

func needsSignals(t *testing.T) { t.Helper() }

// ownGroup keeps what interrupt sends away from the test itself.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt reaches the engine and the provider alike.
func interrupt(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }

// groupRuns reports whether anything of it is left, as long as the command was waited for.
func groupRuns(command *exec.Cmd) bool { return syscall.Kill(-command.Process.Pid, 0) == nil }

// endGroup ends what an engine that was killed has left behind.
func endGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
