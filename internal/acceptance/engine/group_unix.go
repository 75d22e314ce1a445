//go:build unix

package engine

import (
	"os/exec"
	"syscall"
)

func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Interrupt sends SIGINT to the engine and its providers, like Ctrl-C in a terminal.
func Interrupt(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }

func endGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
