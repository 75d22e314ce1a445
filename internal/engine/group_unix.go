//go:build unix

package engine

import (
	"os/exec"
	"syscall"
)

func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Interrupt does to a Command what Ctrl-C does in a terminal: it reaches the engine and its providers.
func Interrupt(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }

func endGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
