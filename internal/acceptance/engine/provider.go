package engine

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Source is the source address of the provider in a configuration. An engine prepends the host name of its registry.
const (
	Namespace = "dashembed"
	Source    = Namespace + "/embed"
)

// BuildProvider builds the provider into the directory, with additional flags for go build. It returns the path of a
// CLI configuration that makes an engine use this build, and install no other provider.
func BuildProvider(ctx context.Context, dir string, flags ...string) (configuration string, err error) {
	args := append([]string{"build", "-o", filepath.Join(dir, "terraform-provider-embed")}, flags...)
	build := exec.CommandContext(ctx, "go", append(args, "github.com/dashembed/terraform-provider-embed")...)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w\n%s", err, said)
	}
	text := []byte("provider_installation {\n  dev_overrides {\n")
	for _, registry := range registries {
		text = fmt.Appendf(text, "    %q = %q\n", registry+"/"+Source, filepath.ToSlash(dir))
	}
	configuration = filepath.Join(dir, "cli.tfrc")
	return configuration, os.WriteFile(configuration, append(text, "  }\n}\n"...), 0o600)
}

// Mirror links the files into the directory, in the layout of a mirror of registries, and returns the path of a CLI
// configuration that makes an engine install providers only from there. A file is the provider's program or, if its
// name ends in .zip, an archive of a release.
func Mirror(dir, version, platform string, files ...string) (configuration string, failed error) {
	for _, registry := range registries {
		packed := filepath.Join(dir, registry, filepath.FromSlash(Source))
		for _, file := range files {
			to := filepath.Join(packed, version, platform, "terraform-provider-embed_v"+version)
			if strings.HasSuffix(file, ".zip") {
				to = filepath.Join(packed, filepath.Base(file))
			}
			failed = errors.Join(failed, os.MkdirAll(filepath.Dir(to), 0o700), os.Symlink(file, to))
		}
	}
	const text = "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n"
	configuration = filepath.Join(dir, "mirror.tfrc")
	return configuration, errors.Join(failed,
		os.WriteFile(configuration, fmt.Appendf(nil, text, filepath.ToSlash(dir)), 0o600))
}

// Files calls see with each file in the directory and below, or with each file in a saved plan, which is a zip archive.
func Files(dir string, see func(path string, text []byte, isPlan bool)) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		plan, err := zip.OpenReader(path)
		if errors.Is(err, zip.ErrFormat) {
			text, err := os.ReadFile(path)
			see(path, text, false)
			return err
		}
		if err != nil {
			return err
		}
		defer func() { _ = plan.Close() }()
		for _, member := range plan.File {
			text, err := fs.ReadFile(plan, member.Name)
			if err != nil {
				return err
			}
			see(path, text, true)
		}
		return nil
	})
}
