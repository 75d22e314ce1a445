package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is the JSON file of the modes that measure cells.
type report struct {
	Engine  string         `json:"engine"`
	Go      string         `json:"go"`
	CPUs    int            `json:"cpus"`
	Rounds  int            `json:"rounds"`
	State   string         `json:"state"`
	Seconds float64        `json:"seconds"`
	Targets []targetResult `json:"targets,omitempty"`
	Cold    *coldStart     `json:"cold_start,omitempty"`
	Cells   []*cell        `json:"cells"`
}

func (b *bench) newReport(cells []*cell) report {
	state := "remote"
	if b.localState {
		state = "file"
	}
	return report{
		State: state, Engine: b.engine.version, Go: runtime.Version(), CPUs: runtime.NumCPU(), Rounds: b.rounds,
		Seconds: float64(int(time.Since(b.started).Seconds())), Cells: cells,
	}
}

// sortedCells is the order in which people read them.
func sortedCells(cells []*cell) []*cell {
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(a, c *cell) int {
		return cmp.Or(
			cmp.Compare(a.N, c.N),
			cmp.Compare(slices.Index(operations, a.Operation), slices.Index(operations, c.Operation)),
			cmp.Compare(a.Latency, c.Latency),
			cmp.Compare(a.Contender, c.Contender),
		)
	})
	return sorted
}

// writeReport writes name.json and name.txt.
func writeReport(dir, name string, document any, text func(*strings.Builder) error) error {
	encoded, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		return err
	}
	var plain strings.Builder
	if err := text(&plain); err != nil {
		return err
	}
	_, err = io.WriteString(os.Stdout, plain.String())
	return errors.Join(err,
		os.MkdirAll(dir, 0o750),
		os.WriteFile(filepath.Join(dir, name+".json"), append(encoded, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, name+".txt"), []byte(plain.String()), 0o600),
	)
}
