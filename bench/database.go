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
	"syscall"
	"time"
)

// database is a PostgreSQL of our own on a loopback port.
type database struct {
	url  string
	stop func()
}

// backend is the configuration for the state of one shard; without a database it is empty, and the state is in a file.
func (d *database) backend(shard int) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("backend \"pg\" {\n    conn_str    = %q\n    schema_name = \"shard_%d\"\n  }", d.url, shard)
}

func (d *database) String() string {
	if d == nil {
		return "file"
	}
	return "pg"
}

func startDatabase(ctx context.Context) (*database, error) {
	initdb, err := findPostgres("initdb")
	if err != nil {
		return nil, err
	}
	server, err := findPostgres("postgres")
	if err != nil {
		return nil, err
	}
	isReady, err := findPostgres("pg_isready")
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
	starting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for starting.Err() == nil {
		// A connection is no proof: the server takes some before it takes sessions.
		if exec.CommandContext(starting, isReady, "-q", "-h", "127.0.0.1", "-p", port).Run() == nil { //nolint:gosec // found by us
			return &database{"postgres://bench@127.0.0.1:" + port + "/postgres?sslmode=disable", stop}, nil
		}
		select {
		case <-starting.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	stop()
	return nil, errors.Join(starting.Err(), fmt.Errorf("PostgreSQL takes no sessions:\n%s", said.String()))
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
