package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// Only the parent of a process learns exactly what the process used. Therefore, the engine starts this program
// instead of the provider. It runs the provider that the variable names, and writes its usage to a file in a
// subdirectory of the engine's directory.
const (
	providerVariable = "BENCH_PROVIDER"
	usages           = "usages"
)

// standIn runs when the engine starts this program instead of the provider.
func standIn(context.Context) error {
	signal.Ignore(os.Interrupt) // an interrupt is for the engine and the provider
	file, err := os.CreateTemp(usages, "")
	if err != nil {
		return err
	}
	provider := exec.Command(os.Getenv(providerVariable)) //nolint:gosec,noctx // bench names it, the engine ends it
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := provider.Run(); err != nil {
		return err
	}
	ended := provider.ProcessState
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("the system does not report what a process used")
	}
	peak := used.Maxrss
	if runtime.GOOS == "linux" { // Linux counts in KiB, macOS in bytes
		peak <<= 10
	}
	_, err = fmt.Fprintln(file, (ended.UserTime() + ended.SystemTime()).Nanoseconds(), peak)
	return errors.Join(err, file.Close())
}

// readUsages returns the CPU time of all processes of the provider together, in seconds, and the largest resident set
// of any of them, in MiB.
func readUsages(dir string) (cpu, peak float64, err error) {
	files, err := os.ReadDir(dir)
	for _, file := range files {
		text, _ := os.ReadFile(filepath.Join(dir, file.Name()))
		var nanoseconds, bytes float64
		if _, err := fmt.Sscanln(string(text), &nanoseconds, &bytes); err != nil {
			return 0, 0, fmt.Errorf("a provider process was killed or failed, so its usage is unknown: %w", err)
		}
		cpu, peak = cpu+nanoseconds/1e9, max(peak, bytes/(1<<20))
	}
	return cpu, peak, err
}
