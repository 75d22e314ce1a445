//go:build !unix

package endtoend

import (
	"os/exec"
	"testing"
)

func needsSignals(t *testing.T) {
	t.Helper()
	t.Skip("there is no interrupt to send")
}

func ownGroup(*exec.Cmd) {}

func interrupt(command *exec.Cmd) error { return command.Process.Kill() }

func groupRuns(*exec.Cmd) bool { return false }

func endGroup(*exec.Cmd) {}
