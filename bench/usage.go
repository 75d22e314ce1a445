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
	"time"
)

// Only who waits for a process learns exactly what it used. So an engine starts this program in the place of a
// provider. It runs the provider that the variable names, and leaves a file in a directory below that of the engine.
const (
	providerVariable = "BENCH_PROVIDER"
	usages           = "usages"
)

// standIn is what the engine takes for the provider. Its own CPU, some milliseconds, counts for the engine.
func standIn(context.Context) error {
	signal.Ignore(os.Interrupt) // engine and provider decide what that means
	file, err := os.CreateTemp(usages, "")
	if err != nil {
		return err
	}
	provider := exec.Command(os.Getenv(providerVariable)) //nolint:gosec,noctx // it ends when the engine wants
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := provider.Run(); err != nil {
		return err
	}
	ended := provider.ProcessState
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("the system does not tell what a process used")
	}
	peak := used.Maxrss
	if runtime.GOOS == "linux" { // which counts in KiB
		peak <<= 10
	}
	_, err = fmt.Fprintln(file, (ended.UserTime() + ended.SystemTime()).Nanoseconds(), peak)
	return errors.Join(err, file.Close())
}

// readUsages returns the user and system time of all processes of the provider, and the largest resident set, in bytes.
func readUsages(dir string) (cpu time.Duration, peak int64, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0, err
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return 0, 0, err
		}
		var itsCPU, itsPeak int64
		if _, err := fmt.Sscanln(string(text), &itsCPU, &itsPeak); err != nil {
			return 0, 0, fmt.Errorf("a process of the provider was killed or failed, and its share is unknown: %w", err)
		}
		cpu, peak = cpu+time.Duration(itsCPU), max(peak, itsPeak)
	}
	return cpu, peak, nil
}
