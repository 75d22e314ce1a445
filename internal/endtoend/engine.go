package endtoend

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// longest is the time limit of a command. All commands are faster, and it is far below the waits of an hour that
// some scripts configure.
const longest = 5 * time.Minute

// running is a command of the engine that was started.
type running struct {
	*exec.Cmd
	fails    bool
	out, err bytes.Buffer
	ended    chan error
}

// terraform runs Terraform or OpenTofu, in the background if the last argument is "&".
func (f *fixture) terraform(neg bool, args []string) {
	last := len(args) - 1
	if args[last] != "&" {
		f.end(f.start(neg, args))
		return
	}
	f.background = f.start(neg, args[:last])
}

func (f *fixture) start(fails bool, args []string) *running {
	var environment []string
	for _, name := range f.settings {
		environment = append(environment, name+"="+f.Getenv(name))
	}
	ctx, cancel := context.WithTimeout(f.Context, longest)
	command := f.Engine.Command(ctx, f.MkAbs("."), environment, args...)
	r := &running{Cmd: command, fails: fails, ended: make(chan error, 1)}
	r.Stdout, r.Stderr = &r.out, &r.err
	f.Check(r.Start())
	go func() {
		defer cancel()
		r.ended <- r.Wait()
	}()
	return r
}

// await waits for the engine in the background. Afterwards, stdout and stderr contain its output.
func (f *fixture) await(bool, []string) {
	r := f.background
	f.background = nil
	f.end(r)
}

func (f *fixture) end(r *running) {
	if code := f.ended(r); (code != 0) != r.fails {
		f.Fatalf("%s ended with exit code %d", strings.Join(r.Args, " "), code)
	}
}

func (f *fixture) ended(r *running) int {
	code, err := engine.ExitCode(r.Cmd, <-r.ended)
	out, problems := r.out.String(), r.err.String()
	f.said = out + problems
	f.printed += f.said
	_, _ = io.WriteString(f.Stdout(), out)
	_, _ = io.WriteString(f.Stderr(), problems)
	f.Check(err)
	if sign := crash.FindString(f.said); sign != "" {
		f.Fatalf("a crash, or an apply that contradicts its plan: %s", sign)
	}
	return code
}

var crash = regexp.MustCompile(
	`panic:|Plugin did not respond|[Cc]rashed|inconsistent (result|final plan)|goroutine 1 \[`)

// retry runs the engine until it succeeds, up to five times. Every error must be about a group for which a fault
// struck a call in the same run, or about the check of the service if one struck that.
func (f *fixture) retry(_ bool, args []string) {
	for range 5 {
		earlier := len(f.service.Calls())
		if f.ended(f.start(false, args)) == 0 {
			return
		}
		struck := map[string]bool{}
		for _, call := range f.service.Calls()[earlier:] {
			id := call.ID
			if strings.HasPrefix(id, "terraform-provider-embed-check-") {
				id = "" // The title of an error about the check of the service has no ID.
			}
			struck[id] = struck[id] || call.Fault != ""
		}
		problems := title.FindAllStringSubmatch(f.said, -1)
		if len(problems) == 0 {
			f.Fatalf("a run failed without an error")
		}
		for _, problem := range problems {
			if !struck[problem[1]] {
				f.Fatalf("no fault struck the group in this error: %s", problem[0])
			}
		}
	}
	f.Fatalf("none of five runs succeeded")
}

// title matches the title of an error, and the first word in it that is quoted, if any.
var title = regexp.MustCompile(`(?m)^Error: (?:[^"\n]*"([^"\n]+)")?.*$`)

// signal sends a signal to the background engine. Like Ctrl-C in a terminal, INT also reaches
// its provider. TERM reaches only the engine, as when a CI system cancels a job.
func (f *fixture) signal(_ bool, args []string) {
	r := f.background
	switch args[0] {
	case "INT":
		f.Check(engine.Interrupt(r.Cmd))
	case "TERM":
		f.Check(r.Process.Signal(syscall.SIGTERM))
	default:
		f.Fatalf("the signal must be INT or TERM")
	}
}

var archive = regexp.MustCompile(`^terraform-provider-embed_(.+)_([a-z0-9]+_[a-z0-9]+)\.zip$`)

// mirror makes `terraform init` install the provider from a mirror, which contains the release archives in the
// directory EMBED_RELEASE_DIST or, if that is not set, the provider's program. It sets $VERSION to the version in
// the mirror, $PLATFORMS to the number of platforms, and $INSTALLED to the path of the installed program. It also
// makes `terraform providers lock` record all of these platforms.
func (f *fixture) mirror(bool, []string) {
	dir := filepath.Join(f.root, "mirror")
	files, platforms := []string{f.Provider}, " -platform="+f.Engine.Platform
	said, err := exec.CommandContext(f.Context, f.Provider, "-version").Output()
	f.Check(err)
	version := strings.TrimSpace(string(said[bytes.LastIndexByte(said, ' ')+1:]))
	if dist := os.Getenv("EMBED_RELEASE_DIST"); dist != "" {
		files, platforms = nil, ""
		entries, err := os.ReadDir(dist)
		f.Check(err)
		for _, entry := range entries {
			if parts := archive.FindStringSubmatch(entry.Name()); parts != nil {
				files, version = append(files, filepath.Join(dist, entry.Name())), parts[1]
				platforms += " -platform=" + parts[2]
				f.hasTheTimeOfItsCommit(files[len(files)-1])
			}
		}
	}
	configuration, err := engine.Mirror(dir, version, f.Engine.Platform, files...)
	f.Check(err)
	f.Setenv("TF_CLI_CONFIG_FILE", configuration)
	f.Setenv("VERSION", version)
	f.Setenv("TF_CLI_ARGS_providers_lock", platforms)
	f.Setenv("PLATFORMS", strconv.Itoa(len(files)))
	installed := filepath.Join(".terraform", "providers", f.Engine.Registry(), engine.Source, version, f.Engine.Platform)
	f.Setenv("INSTALLED", filepath.Join(installed, "terraform-provider-embed_v"+version))
}

// hasTheTimeOfItsCommit fails the script unless all files in the archive have the time of the current commit. With
// any other time, the same commit would not always give the same archive.
func (f *fixture) hasTheTimeOfItsCommit(path string) {
	said, err := exec.CommandContext(f.Context, "git", "log", "-1", "--format=%ct").Output()
	f.Check(err)
	unpacked, err := zip.OpenReader(path)
	f.Check(err)
	defer unpacked.Close()
	for _, file := range unpacked.File {
		if at := fmt.Sprintln(file.Modified.Unix()); at != string(said) {
			f.Fatalf("%s: %s has the time %s, but the commit %s", path, file.Name, at, said)
		}
	}
}
