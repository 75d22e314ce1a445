package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// stateRun is an operation with the state in a file, or in a database that several runs share.
type stateRun struct {
	Where     string  `json:"state"`
	Runs      int     `json:"runs"`
	Groups    int     `json:"groups"`
	Operation string  `json:"operation"`
	Wall      float64 `json:"wall_s"`
	EngineCPU float64 `json:"engine_cpu_s"`
	Failed    int     `json:"failed_runs"`
}

// runState measures the state in a local file and in PostgreSQL, by one run and by four at once, and that the lock holds.
func runState(ctx context.Context, b *bench, out string) error {
	n := b.sizesOr(1000)[0]
	postgres, err := startDatabase(ctx)
	if err != nil {
		return err
	}
	defer postgres.stop()
	var all []stateRun
	for _, runs := range []int{1, 4} {
		for _, in := range []*database{nil, postgres} {
			measured, err := b.stateLife(ctx, in, runs, n)
			if err != nil {
				return err
			}
			all = append(all, measured...)
		}
	}
	if err := b.secondRunIsRefused(ctx, postgres); err != nil {
		return err
	}
	const locked = "refused, as the state is locked"
	document := map[string]any{"engine": b.engine.version, "runs": all, "second_run_on_the_same_state": locked}
	failed := 0
	for _, one := range all {
		failed += one.Failed
	}
	return errors.Join(failure(failed), writeReport(out, "state", document, func(to *strings.Builder) error {
		_, _ = fmt.Fprintf(to, "%d groups over K runs at once, no latency; %s\n\n", n, b.engine.version)
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "state\truns\toperation\twall s\tengine CPU s\tfailed runs")
		for _, one := range all {
			_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%.1f\t%.1f\t%d\n", one.Where, one.Runs, one.Operation, one.Wall, one.EngineCPU, one.Failed)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(to, "\na second run on a state that is in use: %s\n", locked)
		return err
	}))
}

// shardRoom is a root module of its own, with its state in the database or, where there is none, in a file.
func (b *bench) shardRoom(ctx context.Context, service *emulator.Emulator, database *database, shard int, perSecond float64, groups map[string]customer) (*room, error) {
	r, err := b.newRoom(b.all[0])
	if err != nil {
		return nil, err
	}
	with := settings{BaseURL: service.URL(), APIKey: emulator.DefaultKey, RequestsPerSecond: perSecond, Backend: database.backend(shard)}
	if err := r.write(b.all[0].template, with, groups); err != nil {
		return nil, err
	}
	_, err = r.run(ctx, "init")
	return r, err
}

func (b *bench) stateLife(ctx context.Context, in *database, runs, n int) ([]stateRun, error) {
	service, err := startService(0, 0)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	rooms := make([]*room, runs)
	for i, groups := range sharded(customers(n), runs) {
		r, err := b.shardRoom(ctx, service, in, i, 0, groups)
		if err != nil {
			return nil, err
		}
		rooms[i] = r
	}
	var all []stateRun
	for _, operation := range []string{"apply", "plan", "destroy"} {
		b.say("state in %s, %d runs at once: %s", in, runs, operation)
		one := stateRun{Where: in.String(), Runs: runs, Groups: n, Operation: operation}
		measured := b.runAll(ctx, rooms, operation)
		one.Wall, one.EngineCPU, one.Failed = measured.Wall, measured.EngineCPU, measured.failed
		all = append(all, one)
		if one.Failed > 0 {
			break
		}
	}
	return all, nil
}

// secondRunIsRefused starts an apply while another one of the same state is under way.
func (b *bench) secondRunIsRefused(ctx context.Context, database *database) error {
	b.say("a second run on a state that is in use")
	service, err := startService(200*time.Millisecond, 0)
	if err != nil {
		return err
	}
	defer service.Close()
	var rooms []*room
	for range 2 {
		r, err := b.shardRoom(ctx, service, database, 99, 0, customers(40))
		if err != nil {
			return err
		}
		rooms = append(rooms, r)
	}
	arrived := make(chan struct{})
	var once sync.Once
	service.BeforeCall(func(emulator.Call) { once.Do(func() { close(arrived) }) })
	first := make(chan error, 1)
	go func() { first <- rooms[0].mustRun(ctx, "apply", "-auto-approve") }()
	select {
	case <-arrived:
	case err := <-first:
		return errors.Join(errors.New("the first run ended before it had made a call"), err)
	}
	_, second := rooms[1].run(ctx, "apply", "-auto-approve")
	if err := <-first; err != nil {
		return err
	}
	switch {
	case second == nil:
		return errors.New("a second run on a state that is in use was not refused")
	case strings.Contains(second.Error(), "acquiring the state lock"):
		return nil
	default:
		return second
	}
}
