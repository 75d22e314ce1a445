package endtoend

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// distVariable names goreleaser's directory. Without it, an archive of that form is made here.
const distVariable = "EMBED_RELEASE_DIST"

const releaseName = "terraform-provider-embed"

var archiveName = regexp.MustCompile(`^` + releaseName + `_([0-9]+\.[0-9]+\.[0-9]+)_([a-z]+_[a-z0-9]+)\.zip$`)

// release is the archives of a version, by platform.
type release struct {
	version  string
	archives map[string]string
}

// TestAccRelease: the engine finds the released archives in a mirror, locks them for every platform, installs from the lock
// file alone, and the whole life of a group works with what it installed.
func TestAccRelease(t *testing.T) {
	acceptance(t)
	host := runtime.GOOS + "_" + runtime.GOARCH
	released := releaseAtHand(t, host)
	if _, ok := released.archives[host]; !ok {
		t.Fatalf("no archive for %s among %v", host, sorted(released.archives))
	}

	if os.Getenv(distVariable) != "" {
		released.hasTheTimeOfItsCommit(t)
	}
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, nil)
	w.wants(groups{"acme": {Name: "Acme", Issue: "1"}, "birch": {Name: "Birch"}})
	mirror := filepath.Join(t.TempDir(), "mirror")
	released.layOut(t, mirror)
	// What is set last counts: not the binary of the other tests, and no other source of providers.
	only := "TF_CLI_CONFIG_FILE=" + filepath.Join(w.dir, "mirror.tfrc")
	w.write("mirror.tfrc", engine.FromMirror(mirror))
	w.logging = append(w.logging, only)

	platforms := sorted(released.archives)
	lock := []string{"providers", "lock", "-fs-mirror=" + mirror}
	for _, platform := range platforms {
		lock = append(lock, "-platform="+platform)
	}
	w.plainly(only, lock...)
	locked, err := os.ReadFile(filepath.Join(w.dir, ".terraform.lock.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	// One sum for the content of each archive.
	if sums := strings.Count(string(locked), `"h1:`); sums != len(platforms) || !strings.Contains(string(locked), `"`+released.version+`"`) {
		t.Errorf("%d platforms of %s are locked with %d sums:\n%s", len(platforms), released.version, sums, locked)
	}
	w.plainly(only, "init", "-no-color", "-lockfile=readonly")

	applied := w.apply().succeeded(t)
	if strings.Contains(applied.out, "development overrides") {
		t.Fatalf("the engine used another binary than the released one:\n%s", applied.out)
	}
	before := w.agrees()
	w.wants(groups{"acme": {Name: "Acme Ltd", Issue: "2"}, "birch": {Name: "Birch"}})
	w.apply().succeeded(t)
	after := w.agrees()
	if before["acme"].Token == after["acme"].Token || before["birch"].Token != after["birch"].Token {
		t.Error("the apply had to rotate the token of acme and no other")
	}
	w.plansNothing()
	w.run("destroy", "-auto-approve").succeeded(t)
	if left := service.Groups(); len(left) != 0 {
		t.Errorf("the destroy left %d groups", len(left))
	}
	w.saysItsVersion(released.version, host)
}

// saysItsVersion asks the binary that the engine has unpacked.
func (w *workspace) saysItsVersion(version, platform string) {
	w.t.Helper()
	binary := releaseName + "_v" + version
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	found, err := filepath.Glob(filepath.Join(w.dir, ".terraform", "providers", "*", filepath.FromSlash(engine.Source), version, platform, binary))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("the engine has unpacked %v, not %s (%v)", found, binary, err)
	}
	said, err := exec.CommandContext(w.t.Context(), found[0], "-version").Output()
	if want := releaseName + " " + version + "\n"; err != nil || string(said) != want {
		w.t.Errorf("-version says %q, not %q (%v)", said, want, err)
	}
}

// plainly runs a command that has to succeed and, on the engines at hand, speaks no JSON.
func (w *workspace) plainly(setting string, args ...string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), longestRun)
	defer cancel()
	command := exec.CommandContext(ctx, shared.engine, args...)
	command.Dir, command.Env = w.dir, append(shared.environment(), setting)
	command.WaitDelay = 20 * time.Second
	if said, err := command.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", args, err, said)
	}
}

func releaseAtHand(t *testing.T, host string) release {
	t.Helper()
	dir := os.Getenv(distVariable)
	if dir == "" {
		dir = t.TempDir()
		archiveLikeRelease(t, dir, "1.2.3", host)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := release{archives: map[string]string{}}
	for _, entry := range entries {
		parts := archiveName.FindStringSubmatch(entry.Name())
		if parts == nil {
			continue
		}
		if found.version != "" && found.version != parts[1] {
			t.Fatalf("%s has archives of %s and of %s", dir, found.version, parts[1])
		}
		found.version = parts[1]
		found.archives[parts[2]] = filepath.Join(dir, entry.Name())
	}
	return found
}

// hasTheTimeOfItsCommit: with another time in it, the same commit would give another archive.
func (r release) hasTheTimeOfItsCommit(t *testing.T) {
	t.Helper()
	answer, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%ct").Output()
	if err != nil {
		t.Fatal(err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(answer)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for platform, path := range r.archives {
		archive, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = archive.Close() })
		for _, file := range archive.File {
			if !file.Modified.Equal(time.Unix(seconds, 0)) {
				t.Errorf("%s: %s has the time %s, its commit %s", platform, file.Name, file.Modified, time.Unix(seconds, 0))
			}
		}
	}
}

// layOut copies the archives to where a mirror has them: HOST/NAMESPACE/TYPE, packed.
func (r release) layOut(t *testing.T, mirror string) {
	t.Helper()
	for _, registry := range engine.Registries() {
		dir := filepath.Join(mirror, registry, filepath.FromSlash(engine.Source))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, archive := range r.archives {
			to := filepath.Join(dir, filepath.Base(archive))
			if os.Link(archive, to) == nil {
				continue
			}
			text, err := os.ReadFile(archive)
			if err == nil {
				err = os.WriteFile(to, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// archiveLikeRelease builds with the flags of .goreleaser.yml, which the test holds against them.
func archiveLikeRelease(t *testing.T, dir, version, platform string) {
	t.Helper()
	const trimmed, linked = "-trimpath", "-s -w -X main.version="
	settings, err := os.ReadFile(filepath.Join("..", "..", ".goreleaser.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"[" + trimmed + "]", linked + "{{ .Version }}", "[CGO_ENABLED=0]"} {
		if !strings.Contains(string(settings), flag) {
			t.Errorf(".goreleaser.yml no longer has %s: build like it here", flag)
		}
	}
	binary := filepath.Join(dir, "built")
	build := exec.CommandContext(t.Context(), "go", "build", trimmed, "-ldflags", linked+version, "-o", binary, "../..")
	build.Env = append(slices.Clone(os.Environ()), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the provider: %v\n%s", err, said)
	}

	archive, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s_%s_%s.zip", releaseName, version, platform)))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	packed := zip.NewWriter(archive)
	name := releaseName + "_v" + version
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	header.SetMode(0o755)
	into, err := packed.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if _, err := io.Copy(into, from); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
}
