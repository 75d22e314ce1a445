//go:build !unix

package engine

import (
	"os/exec"
	"time"
)

func ownGroup(*exec.Cmd) {}

// Interrupt kills a Command, since this system has no gentler way to end it.
func Interrupt(command *exec.Cmd) error { return command.Process.Kill() }

// HangUp kills a Command, since this system has no terminals that hang up.
func HangUp(command *exec.Cmd) error { return command.Process.Kill() }

// AwaitGroup waits. Nothing tells here whether a Command has left processes behind.
func AwaitGroup(_ *exec.Cmd, most time.Duration) bool {
	<-time.After(most)
	return true
}

func endGroup(*exec.Cmd) {}
