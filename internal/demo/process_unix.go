//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has the command, and what it starts, not see the terminal's Ctrl-C: it is told once, by us, since an engine
// that is told twice gives up without writing its state.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
}

// endGroup ends what an engine that had to be killed has left behind.
func endGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
