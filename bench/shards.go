package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// shard is the part of an estate that one of so many root modules has: by a hash of the id, since nothing else about a
// customer stays for ever.
func shard(id string, of int) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(id))
	return int(hash.Sum32() % uint32(of)) //nolint:gosec // a handful
}

func sharded(all map[string]customer, of int) []map[string]customer {
	shards := make([]map[string]customer, of)
	for i := range shards {
		shards[i] = map[string]customer{}
	}
	for id, one := range all {
		shards[shard(id, of)][id] = one
	}
	return shards
}

// shardRun is K runs at once against one service with a limit.
type shardRun struct {
	Runs int `json:"runs"`
	// Limit is how many calls a second the service takes, Paced what each run keeps to, 0 for nothing.
	Limit     int     `json:"limit_per_second"`
	Paced     float64 `json:"requests_per_second"`
	Operation string  `json:"operation"`
	Groups    int     `json:"groups"`
	Wall      float64 `json:"wall_s"`
	CPU       float64 `json:"cpu_s"`
	Calls     int     `json:"calls"`
	Refused   int     `json:"throttled"`
	Failed    int     `json:"failed_runs"`
}

const shardLimit = 50

func runShards(ctx context.Context, b *bench, out string) error {
	n := b.sizesOr(400)[0]
	latency := time.Duration(b.latencies[len(b.latencies)-1]) * time.Millisecond
	var in *database
	if !b.localState {
		var err error
		if in, err = startDatabase(ctx); err != nil {
			return err
		}
		defer in.stop()
	}
	var all []shardRun
	for _, runs := range []int{1, 2, 4} {
		for _, paced := range []float64{0, float64(shardLimit) / float64(runs)} {
			measured, err := b.shardLife(ctx, in, runs, n, latency, paced)
			if err != nil {
				return err
			}
			all = append(all, measured...)
		}
	}
	failed := 0
	for _, one := range all {
		failed += one.Failed
	}
	return errors.Join(failure(failed), writeReport(out, "shards", all, func(to *strings.Builder) error {
		_, _ = fmt.Fprintf(to, "%d groups over K runs at once, service latency %s, limit %d calls a second, state in %s; %s\n\n", n, latency, shardLimit, in, b.engine.version)
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "runs\trequests_per_second each\toperation\twall s\tCPU s\tcalls\tof which refused by 429\tfailed runs")
		for _, one := range all {
			_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%.1f\t%.1f\t%d\t%d\t%d\n", one.Runs, pace(one.Paced), one.Operation, one.Wall, one.CPU, one.Calls, one.Refused, one.Failed)
		}
		return table.Flush()
	}))
}

func pace(perSecond float64) string {
	if perSecond == 0 {
		return "not set"
	}
	return fmt.Sprintf("%g", perSecond)
}

func (b *bench) shardLife(ctx context.Context, in *database, runs, n int, latency time.Duration, paced float64) ([]shardRun, error) {
	service, err := startService(latency, shardLimit)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	rooms := make([]*room, runs)
	for i, groups := range sharded(customers(n), runs) {
		r, err := b.shardRoom(ctx, service, in, i, paced, groups)
		if err != nil {
			return nil, err
		}
		rooms[i] = r
	}
	var all []shardRun
	for _, operation := range []string{"apply", "plan", "destroy"} {
		b.say("%d runs at once, requests_per_second %s: %s", runs, pace(paced), operation)
		one := shardRun{Runs: runs, Limit: shardLimit, Paced: paced, Operation: operation, Groups: n}
		measured := b.runAll(ctx, rooms, operation)
		one.Wall, one.CPU, one.Failed = measured.Wall, measured.cpu(), measured.failed
		var counted sample
		takeCounts(service, &counted)
		one.Refused = counted.Refused
		for _, calls := range counted.Calls {
			one.Calls += calls
		}
		all = append(all, one)
		if one.Failed > 0 {
			break
		}
	}
	return all, nil
}

// together is what several runs at once took: their CPU added up, and the time until the last one has ended.
type together struct {
	sample
	failed int
}

func (b *bench) runAll(ctx context.Context, rooms []*room, operation string) (all together) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := time.Now()
	for _, r := range rooms {
		wg.Go(func() {
			measured, err := r.run(ctx, operationArguments[operation]...)
			mu.Lock()
			defer mu.Unlock()
			all.EngineCPU += measured.EngineCPU
			all.ProviderCPU += measured.ProviderCPU
			if err != nil {
				all.failed++
				b.say("%v", err)
			}
		})
	}
	wg.Wait()
	all.Wall = time.Since(start).Seconds()
	return all
}

// failure is the error of a mode that has measured runs that failed.
func failure(failed int) error {
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d runs failed", failed)
}
