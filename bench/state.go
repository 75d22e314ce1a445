package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
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
	database, err := b.startDatabase(ctx)
	if err != nil {
		return err
	}
	defer database.stop()
	var all []stateRun
	for _, kind := range []struct {
		where string
		runs  int
	}{{"file", 1}, {"pg", 1}, {"file", 4}, {"pg", 4}} {
		measured, err := b.stateLife(ctx, kind.where, database, kind.runs, n)
		if err != nil {
			return err
		}
		all = append(all, measured...)
	}
	locked, err := b.secondRunIsRefused(ctx, database)
	if err != nil {
		return err
	}
	document := map[string]any{"engine": b.engine.version, "runs": all, "second_run_on_the_same_state": locked}
	return writeReport(out, "state", document, func(to *strings.Builder) error {
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
	})
}

func backend(where string, database *database, shard int) string {
	if where == "file" {
		return ""
	}
	return fmt.Sprintf("backend \"pg\" {\n    conn_str    = %q\n    schema_name = \"shard_%d\"\n  }", database.url, shard)
}

func (b *bench) stateRoom(ctx context.Context, service *emulator.Emulator, where string, database *database, shard int, groups map[string]customer) (*room, error) {
	r, err := b.newRoom(b.all[0])
	if err != nil {
		return nil, err
	}
	with := settings{BaseURL: service.URL(), APIKey: emulator.DefaultKey, Backend: backend(where, database, shard)}
	if err := r.write(b.all[0].template, with, groups); err != nil {
		return nil, err
	}
	_, err = r.run(ctx, "init")
	return r, err
}

func (b *bench) stateLife(ctx context.Context, where string, database *database, runs, n int) ([]stateRun, error) {
	service, err := startService(0, 0)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	rooms := make([]*room, runs)
	for i, groups := range sharded(customers(n), runs) {
		r, err := b.stateRoom(ctx, service, where, database, i, groups)
		if err != nil {
			return nil, err
		}
		rooms[i] = r
	}
	var all []stateRun
	for _, operation := range []string{"apply", "plan", "destroy"} {
		b.say("state in %s, %d runs at once: %s", where, runs, operation)
		one := stateRun{Where: where, Runs: runs, Groups: n, Operation: operation}
		var wg sync.WaitGroup
		var mu sync.Mutex
		start := time.Now()
		for _, r := range rooms {
			wg.Go(func() {
				measured, err := r.run(ctx, operationArguments[operation]...)
				mu.Lock()
				defer mu.Unlock()
				one.EngineCPU += measured.EngineCPU
				if err != nil {
					one.Failed++
					b.say("%v", err)
				}
			})
		}
		wg.Wait()
		one.Wall = time.Since(start).Seconds()
		all = append(all, one)
	}
	return all, nil
}

// secondRunIsRefused starts an apply while another one of the same state is under way.
func (b *bench) secondRunIsRefused(ctx context.Context, database *database) (string, error) {
	b.say("a second run on a state that is in use")
	service, err := startService(200*time.Millisecond, 0)
	if err != nil {
		return "", err
	}
	defer service.Close()
	var rooms []*room
	for range 2 {
		r, err := b.stateRoom(ctx, service, "pg", database, 99, customers(40))
		if err != nil {
			return "", err
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
		return "", errors.Join(errors.New("the first run ended before it had made a call"), err)
	}
	_, second := rooms[1].run(ctx, "apply", "-auto-approve")
	if err := <-first; err != nil {
		return "", err
	}
	switch {
	case second == nil:
		return "NOT refused", nil
	case strings.Contains(second.Error(), "acquiring the state lock"):
		return "refused, as the state is locked", nil
	default:
		return "", second
	}
}

// database is a PostgreSQL of our own on a loopback port.
type database struct {
	url  string
	stop func()
}

func (b *bench) startDatabase(ctx context.Context) (*database, error) {
	initdb, err := findPostgres("initdb")
	if err != nil {
		return nil, err
	}
	server, err := findPostgres("postgres")
	if err != nil {
		return nil, err
	}
	// Not below the scratch directory, which only its owner may enter.
	dir, err := os.MkdirTemp("", "benchpg")
	if err != nil {
		return nil, err
	}
	attributes := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		// PostgreSQL refuses to be root. 65534 is nobody.
		attributes.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		if err := os.Chown(dir, 65534, 65534); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	data := filepath.Join(dir, "data")
	command := exec.CommandContext(ctx, initdb, "-D", data, "-U", "bench", "-A", "trust", "-N") //nolint:gosec // found by us
	command.Dir, command.SysProcAttr = dir, attributes
	if said, err := command.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w\n%s", err, said), os.RemoveAll(dir))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // only to learn of a free port
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	var said bytes.Buffer
	running := exec.Command(server, "-D", data, "-h", "127.0.0.1", "-p", port, "-k", dir) //nolint:gosec,noctx // stopped below, in its own way
	running.Dir, running.SysProcAttr, running.Stderr, running.Stdout = dir, attributes, &said, &said
	if err := running.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() {
		_ = running.Process.Signal(syscall.SIGINT)
		_ = running.Wait()
		_ = os.RemoveAll(dir)
	}
	for range 100 {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", port), time.Second) //nolint:noctx // loopback
		if err == nil {
			_ = conn.Close()
			wait(ctx, time.Second) // until it takes sessions
			return &database{"postgres://bench@127.0.0.1:" + port + "/postgres?sslmode=disable", stop}, nil
		}
		wait(ctx, 100*time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("PostgreSQL does not answer:\n%s", said.String())
}

func wait(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}

// findPostgres also looks where Debian keeps what is not for every day.
func findPostgres(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for version := 30; version > 9; version-- {
		path := "/usr/lib/postgresql/" + strconv.Itoa(version) + "/bin/" + name
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s on PATH: this mode needs PostgreSQL", name)
}
