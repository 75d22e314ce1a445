//go:build !unix

package engine

import "os/exec"

func ownGroup(*exec.Cmd) {}

// Interrupt ends a Command: there is no gentler way on this system.
func Interrupt(command *exec.Cmd) error { return command.Process.Kill() }

func endGroup(*exec.Cmd) {}
