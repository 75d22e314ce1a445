//go:build !unix

package engine

import "os/exec"

func ownGroup(*exec.Cmd) {}

// Interrupt kills a Command, since this system has no gentler way to end it.
func Interrupt(command *exec.Cmd) error { return command.Process.Kill() }

func endGroup(*exec.Cmd) {}
