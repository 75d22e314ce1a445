package main

import (
	"encoding/json"
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

// report is the content of bench.json. The table and the chart show the same data.
type report struct {
	Date     string   `json:"date"`
	Commit   string   `json:"commit"`
	Engine   string   `json:"engine"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	CPUs     int      `json:"cpus"`
	Groups   int      `json:"groups"`
	Latency  string   `json:"latency"`
	Rounds   int      `json:"rounds"`
	Figures  []figure `json:"figures"`
	Targets  []target `json:"targets"`
}

// figure is the result of one contender in one operation over all rounds. Calls and Connections are from the last
// round.
type figure struct {
	Operation   string  `json:"operation"`
	Contender   string  `json:"contender"`
	Wall        summary `json:"wall_s"`
	EngineCPU   summary `json:"engine_cpu_s"`
	ProviderCPU summary `json:"provider_cpu_s"`
	Peak        summary `json:"provider_peak_mib"`
	Calls       string  `json:"calls"`
	Connections int     `json:"connections"`
}

func (b bench) report(lives [][]life, commit string) report {
	r := report{
		Date: time.Now().UTC().Format(time.DateOnly), Commit: commit,
		Engine: b.engine.String(), Go: runtime.Version(), Platform: b.engine.Platform, CPUs: runtime.NumCPU(),
		Groups: b.groups, Latency: b.latency.String(), Rounds: b.rounds,
		Targets: judge(lives[ours], lives[bare], b.groups),
	}
	if b.limit > 0 {
		r.Latency += fmt.Sprintf(", %d calls a second", b.limit)
		r.Targets = judgeLimited(lives[ours], b.groups, b.limit)
	}
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

// Title returns the conditions under which the figures were measured.
func (r report) Title() string {
	return fmt.Sprintf("%d user groups, service latency %s, %s, %d CPUs, rounds: %d",
		r.Groups, r.Latency, r.Engine, r.CPUs, r.Rounds)
}

// text returns the content of bench.txt.
func (r report) text() string {
	var text strings.Builder
	fmt.Fprintln(&text, r.Title())
	fmt.Fprintf(&text, "%s, commit %s, %s, %s; median (smallest–largest)\n\n", r.Date, r.Commit, r.Go, r.Platform)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "operation\tcontender\twall s\tengine CPU s\tprovider CPU s\tpeak MiB\tcalls\tconnections")
	for _, f := range r.Figures {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n",
			f.Operation, f.Contender, f.Wall, f.EngineCPU, f.ProviderCPU, f.Peak, f.Calls, f.Connections)
	}
	fmt.Fprintln(table, "\ntarget of this provider\tlimit\tmeasured\tverdict")
	for _, one := range r.Targets {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.What, one.Limit, one.Measured, one.Verdict)
	}
	_ = table.Flush() // writes to memory, which cannot fail
	return text.String()
}

// write prints the table, and writes the table, the JSON and the chart to the directory.
func (r report) write(dir string) error {
	encoded, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	svg, err := r.chart()
	if err != nil {
		return err
	}
	_, err = io.WriteString(os.Stdout, r.text())
	return errors.Join(err,
		os.MkdirAll(dir, 0o750),
		os.WriteFile(filepath.Join(dir, "bench.txt"), []byte(r.text()), 0o600),
		os.WriteFile(filepath.Join(dir, "bench.json"), append(encoded, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, "bench.svg"), svg, 0o600))
}
