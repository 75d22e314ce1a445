package main

import (
	"os/exec"
	"syscall"
)

// maxrssUnit: Linux counts in KiB.
const maxrssUnit = 1 << 10

// endWithParent leaves no provider behind when an engine that lost patience kills the wrapper.
func endWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
