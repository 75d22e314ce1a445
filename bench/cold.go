package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// coldStart is how long providers take from being started to having answered the engine's first question, in milliseconds.
type coldStart struct {
	Ours  summary `json:"embed_ms"`
	Empty summary `json:"empty_ms"`
	// Ratio is the median of ours over the empty one's, start by start.
	Ratio float64 `json:"ratio"`
}

func (b *bench) measureColdStart(ctx context.Context, starts int) (coldStart, error) {
	b.say("cold starts: %d of each", starts)
	directory := filepath.Join(b.scratch, "cold")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return coldStart{}, err
	}
	var ours, empty []float64
	for i := range starts {
		// In turns, and each of the two first every other time.
		for turn := range 2 {
			binary, into := b.built.provider, &ours
			if (i+turn)%2 == 1 {
				binary, into = b.built.empty, &empty
			}
			took, err := startOnce(ctx, binary, directory)
			if err != nil {
				return coldStart{}, fmt.Errorf("starting %s: %w", filepath.Base(binary), err)
			}
			*into = append(*into, float64(took.Microseconds())/1000)
		}
	}
	return coldStart{summarise(ours), summarise(empty), summarise(ratios(ours, empty)).Median}, nil
}

// startOnce does what an engine does first: start, read the greeting, connect, ask for the schema.
func startOnce(ctx context.Context, binary, sockets string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, binary)
	command.Env = append(cleanEnvironment(), "TMPDIR="+sockets, "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := command.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, err
	}
	socket, err := parseGreeting(line)
	if err != nil {
		return 0, err
	}
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	var answer []byte
	if err := conn.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", []byte{}, &answer); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// parseGreeting reads the line with which a plugin says where it listens: 1|6|unix|/path|grpc|
func parseGreeting(line string) (socket string, err error) {
	fields := strings.Split(strings.TrimSpace(line), "|")
	if len(fields) < 5 || fields[2] != "unix" || fields[4] != "grpc" {
		return "", fmt.Errorf("not a plugin's greeting: %q", line)
	}
	return fields[3], nil
}

// rawCodec leaves messages as they are: an empty one asks for the schema, and what comes need not be understood.
type rawCodec struct{}

// Name implements encoding.Codec.
func (rawCodec) Name() string { return "proto" }

// Marshal implements encoding.Codec.
func (rawCodec) Marshal(message any) ([]byte, error) {
	if bytes, ok := message.([]byte); ok {
		return bytes, nil
	}
	return nil, fmt.Errorf("cannot send %T", message)
}

// Unmarshal implements encoding.Codec.
func (rawCodec) Unmarshal(data []byte, message any) error {
	into, ok := message.(*[]byte)
	if !ok {
		return fmt.Errorf("cannot receive %T", message)
	}
	*into = append([]byte(nil), data...)
	return nil
}
