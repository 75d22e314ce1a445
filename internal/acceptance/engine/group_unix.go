//go:build unix

package engine

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// ownGroup gives a Command a process group of its own. The Command does not ignore SIGHUP, even if this process does,
// as under nohup: what is caught here is not ignored there.
func ownGroup(command *exec.Cmd) {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// Interrupt sends SIGINT to the engine and its providers, like Ctrl-C in a terminal.
func Interrupt(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }

// HangUp sends SIGHUP to the engine and its providers, like a terminal that is closed.
func HangUp(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGHUP) }

// AwaitGroup waits until all processes have ended that a Command has left behind, and reports whether they have.
func AwaitGroup(command *exec.Cmd, most time.Duration) bool {
	for deadline := time.Now().Add(most); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		if err := syscall.Kill(-command.Process.Pid, 0); errors.Is(err, syscall.ESRCH) {
			return true
		}
	}
	return false
}

func endGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
