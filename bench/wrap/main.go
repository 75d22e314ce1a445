// Command wrap stands in the mirror in a provider's place. It runs the provider that BENCH_PROVIDER names and writes
// down, when that one has ended, what it used: only whoever waits for a process learns that exactly.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

// usage is one line of the file that BENCH_USAGE names. The bench reads it.
type usage struct {
	// CPU is user and system time of the provider, in microseconds.
	CPU int64 `json:"cpu_us"`
	// Own is the same of this wrapper, which must count for nobody.
	Own int64 `json:"own_us"`
	// Peak is the provider's largest resident set, in bytes.
	Peak int64 `json:"peak_bytes"`
}

func main() {
	// Engine and provider decide what an interrupt means.
	signal.Ignore(os.Interrupt)
	provider := exec.Command(os.Getenv("BENCH_PROVIDER"), os.Args[1:]...) //nolint:gosec,noctx // running it is the purpose
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	endWithParent(provider)
	// The kernel ends a child with the thread that made it.
	runtime.LockOSThread()
	err := provider.Run()
	if provider.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		os.Exit(1)
	}
	if err := record(provider.ProcessState); err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		os.Exit(1)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1))
	}
}

func record(state *os.ProcessState) error {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return err
	}
	child, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("no usage of the provider: %T", state.SysUsage())
	}
	line, err := json.Marshal(usage{
		CPU:  (state.UserTime() + state.SystemTime()).Microseconds(),
		Own:  (syscall.TimevalToNsec(own.Utime) + syscall.TimevalToNsec(own.Stime)) / 1000,
		Peak: child.Maxrss * maxrssUnit,
	})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(os.Getenv("BENCH_USAGE"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// One write: several providers may end at once.
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
