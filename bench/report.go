package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// report is what bench.txt and bench.svg show.
type report struct {
	// Title and Origin say under which conditions the figures hold, and what they are of.
	Title, Origin string
	Engine        string
	Figures       []figure
	Targets       []target
}

// figure is what an operation took a contender: medians, with the calls and connections of the last round.
type figure struct {
	Operation, Contender               string
	Wall, EngineCPU, ProviderCPU, Peak summary
	Calls                              string
	Connections                        int
}

func (b bench) report(lives [][]life, commit string) report {
	r := report{Engine: b.engine.String(), Targets: judge(lives[ours], lives[bare], b.groups)}
	latency := b.latency.String()
	if b.limit > 0 {
		latency += fmt.Sprintf(", %d calls a second", b.limit)
		r.Targets = nil // what is refused is called once more
	}
	r.Title = fmt.Sprintf("%d user groups, service latency %s, %s, %d CPUs, rounds: %d",
		b.groups, latency, b.engine, runtime.NumCPU(), b.rounds)
	r.Origin = fmt.Sprintf("%s, commit %s, %s, %s",
		time.Now().UTC().Format(time.DateOnly), commit, runtime.Version(), b.engine.Platform)
	for _, o := range operations {
		for i, c := range b.contenders {
			var wall, engineCPU, providerCPU, peak []float64
			var last sample
			for _, round := range lives[i] {
				last = round[o.name]
				wall, peak = append(wall, last.wall), append(peak, last.peak)
				engineCPU, providerCPU = append(engineCPU, last.engineCPU), append(providerCPU, last.providerCPU)
			}
			r.Figures = append(r.Figures, figure{
				o.name, c.name, summarize(wall), summarize(engineCPU), summarize(providerCPU), summarize(peak),
				perGroup(last.calls, 1), last.connections,
			})
		}
	}
	return r
}

// text is bench.txt.
func (r report) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s; median (smallest–largest)\n\n", r.Title, r.Origin)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "operation\tcontender\twall s\tengine CPU s\tprovider CPU s\tpeak MiB\tcalls\tconnections")
	for _, f := range r.Figures {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n",
			f.Operation, f.Contender, f.Wall, f.EngineCPU, f.ProviderCPU, f.Peak, f.Calls, f.Connections)
	}
	fmt.Fprintln(table, "\ntarget of this provider\tlimit\tmeasured\tverdict")
	for _, one := range r.Targets {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.what, one.limit, one.measured, one.verdict)
	}
	_ = table.Flush() // into memory
	return text.String()
}

// write prints the table, and writes it and the chart into the directory.
func (r report) write(dir string) error {
	svg, err := r.chart()
	if err != nil {
		return err
	}
	_, err = io.WriteString(os.Stdout, r.text())
	return errors.Join(err,
		os.MkdirAll(dir, 0o750),
		os.WriteFile(filepath.Join(dir, "bench.txt"), []byte(r.text()), 0o600),
		os.WriteFile(filepath.Join(dir, "bench.svg"), svg, 0o600))
}
