package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// usage is what the wrapper wrote down of one life of a provider; see wrap/main.go.
type usage struct {
	CPU  int64 `json:"cpu_us"`
	Own  int64 `json:"own_us"`
	Peak int64 `json:"peak_bytes"`
}

// usages are the provider's lives of one run of the engine, which starts it anew for each of its walks.
type usages struct {
	starts   int
	cpu, own time.Duration
	// peak is that of the largest.
	peak int64
}

func readUsages(from io.Reader) (usages, error) {
	var all usages
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		var one usage
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return usages{}, fmt.Errorf("what the wrapper wrote cannot be read: %w", err)
		}
		all.starts++
		all.cpu += time.Duration(one.CPU) * time.Microsecond
		all.own += time.Duration(one.Own) * time.Microsecond
		all.peak = max(all.peak, one.Peak)
	}
	return all, lines.Err()
}

// takeUsages reads the file and removes it. An engine that needed no provider has left none.
func takeUsages(path string) (usages, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return usages{}, nil
	}
	if err != nil {
		return usages{}, err
	}
	all, err := readUsages(file)
	return all, errors.Join(err, file.Close(), os.Remove(path))
}
