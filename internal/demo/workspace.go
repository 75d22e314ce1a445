package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// workspace is the directory that everything happens in.
type workspace struct{ dir string }

func (w workspace) configuration() string    { return filepath.Join(w.dir, "demo") }
func (w workspace) mirror() string           { return filepath.Join(w.dir, "providers") }
func (w workspace) cliConfiguration() string { return filepath.Join(w.dir, "cli.tfrc") }

// sockets is where engine and provider meet. Its name is short, since the path of a socket must be.
func (w workspace) sockets() string { return filepath.Join(w.dir, "s") }

func (w workspace) customers() *customersFile {
	return &customersFile{path: filepath.Join(w.configuration(), "customers.yaml")}
}

// copyExample copies what the example consists of, and not what somebody who ran an engine in it has left there.
func (w workspace) copyExample(from string) error {
	if err := os.Mkdir(w.configuration(), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("the demo is run from the root of the repository: %w", err)
	}
	for _, entry := range entries {
		if extension := filepath.Ext(entry.Name()); extension != ".tf" && extension != ".yaml" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(w.configuration(), entry.Name()), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// prepare has the engine take providers from the mirror and from nowhere else.
func (w workspace) prepare() error {
	return errors.Join(os.Mkdir(w.mirror(), 0o700), os.Mkdir(w.sockets(), 0o700),
		os.WriteFile(w.cliConfiguration(), engine.FromMirror(w.mirror()), 0o600))
}

// offerProvider puts the provider into the mirror under the addresses that Terraform and OpenTofu look for, so that
// init and the lock file work as they do for a user. It returns the version.
func (w workspace) offerProvider(ctx context.Context, binary, platform string) (string, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return "", err
	}
	said, err := exec.CommandContext(ctx, binary, "-version").Output()
	if err != nil {
		return "", fmt.Errorf("the provider %s cannot be run (make build builds it): %w", binary, err)
	}
	// A pre-release would only be installed by a configuration that names it, and 0.0.0 by none.
	version, _, _ := strings.Cut(string(said[bytes.LastIndexByte(said, ' ')+1:]), "-")
	version = strings.TrimSpace(version)
	if strings.Count(version, ".") != 2 {
		version = "0.0.1"
	}
	for _, registry := range engine.Registries() {
		dir := filepath.Join(w.mirror(), registry, filepath.FromSlash(engine.Source), version, platform)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		if err := linkOrCopy(binary, filepath.Join(dir, "terraform-provider-embed_v"+version)); err != nil {
			return "", err
		}
	}
	return version, nil
}

// linkOrCopy saves a copy where both are on one file system.
func linkOrCopy(from, to string) (err error) {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
