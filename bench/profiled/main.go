// Command profiled is our provider as main.go has it, and writes profiles of itself into the directory that
// BENCH_PROFILES names.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "profiled:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	provider.PrepareProcess(false)
	cpu, err := create("cpu")
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	err = tf6server.Serve(provider.Address, provider.NewServer("profiled"))
	pprof.StopCPUProfile()
	return errors.Join(err, cpu.Close(), writeHeap(), writeMemory())
}

func writeHeap() error {
	file, err := create("heap")
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}

// writeMemory says what the process had from the system, and what for.
func writeMemory() error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	file, err := create("memory")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "allocated %d KiB in all, %d objects; %d collections\nfrom the system %d KiB: heap %d, stacks %d, collector %d, rest %d; given back %d\n",
		m.TotalAlloc>>10, m.Mallocs, m.NumGC, m.Sys>>10, m.HeapSys>>10, m.StackSys>>10, m.GCSys>>10, (m.Sys-m.HeapSys-m.StackSys-m.GCSys)>>10, m.HeapReleased>>10)
	return errors.Join(err, file.Close())
}

func create(kind string) (*os.File, error) {
	return os.Create(filepath.Join(os.Getenv("BENCH_PROFILES"), fmt.Sprintf("%s.%d.pprof", kind, os.Getpid())))
}
