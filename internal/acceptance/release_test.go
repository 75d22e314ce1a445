package acceptance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/acceptance/script"
)

// TestAccRelease runs a script with the archives of a release, which tools/release/check makes. The engine gets them in
// each way in which users get providers.
func TestAccRelease(t *testing.T) {
	t.Parallel()
	r := readRelease(t)
	server := httptest.NewTLSServer(r.served())
	defer server.Close()
	trusted := filepath.Join(t.TempDir(), "server.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(trusted, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	mirror := t.TempDir()
	fromFiles, err := engine.Mirror(mirror, r.version, r.engine.Platform, r.archives...)
	if err != nil {
		t.Fatal(err)
	}
	fromNetwork := fmt.Sprintf("provider_installation {\n  network_mirror {\n    url = %q\n  }\n}\n",
		server.URL+"/mirror/")
	fromRegistry := fmt.Sprintf("host %q {\n  services = {\n    \"providers.v1\" = %q\n  }\n}\n",
		r.engine.Registry(), server.URL+"/registry/")
	for source, way := range map[string]struct{ configuration, lock string }{
		"filesystem mirror": {fromFiles, "-fs-mirror=" + mirror},
		"network mirror":    {r.write(t, fromNetwork), "-net-mirror=" + server.URL + "/mirror/"},
		"registry":          {r.write(t, fromRegistry), ""},
	} {
		t.Run(source, func(t *testing.T) {
			if source == "registry" && r.key == "" {
				engine.Skip(t, "needs a signature: gpg was not installed")
			}
			installed := filepath.Join(".terraform/providers", r.engine.Registry(), engine.Source, r.version, r.engine.Platform)
			runScripts(t, &script.Runner{
				Context: t.Context(), Engine: r.engine, Configuration: way.configuration, Environment: []string{
					"SSL_CERT_FILE=" + trusted, "VERSION=" + r.version, "PLATFORMS=" + strconv.Itoa(len(r.archives)),
					"TF_CLI_ARGS_providers_lock=" + strings.Join(append(r.platformFlags(), way.lock), " "),
					"INSTALLED=" + filepath.Join(installed, "terraform-provider-embed_v"+r.version),
				},
			}, "release")
		})
	}
}

// release is what goreleaser has written to a directory.
type release struct {
	engine    engine.Engine
	dir       string
	version   string
	archives  []string // paths
	platforms []string // of the archives, for example linux_amd64
	key       string   // the public part of the key that signed the checksums, or empty
}

var archiveName = regexp.MustCompile(`^terraform-provider-embed_(.+)_([a-z0-9]+_[a-z0-9]+)\.zip$`)

// readRelease skips the test if there are no archives.
func readRelease(t *testing.T) *release {
	t.Helper()
	r := &release{dir: os.Getenv("EMBED_TEST_RELEASE")}
	if r.dir == "" {
		t.Skip("make release-check runs this, with the archives of a release in EMBED_TEST_RELEASE")
	}
	r.engine = engine.ForTest(t)
	if key := os.Getenv("EMBED_TEST_RELEASE_KEY"); key != "" {
		r.key = readPage(t, key)
	}
	r.archives, _ = filepath.Glob(filepath.Join(r.dir, "*.zip"))
	for _, archive := range r.archives {
		parts := archiveName.FindStringSubmatch(filepath.Base(archive))
		if parts == nil {
			t.Fatalf("the registries do not accept the name of %s", archive)
		}
		r.version, r.platforms = parts[1], append(r.platforms, parts[2])
	}
	if r.archives == nil {
		t.Fatalf("there are no archives in %s", r.dir)
	}
	return r
}

// write writes a CLI configuration and returns its path.
func (r *release) write(t *testing.T, configuration string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cli.tfrc")
	if err := os.WriteFile(path, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *release) platformFlags() (flags []string) {
	for _, platform := range r.platforms {
		flags = append(flags, "-platform="+platform)
	}
	return flags
}

// served serves the release in the protocol of network mirrors below /mirror/, and in the protocol of registries below
// /registry/. It has only files under the names that goreleaser gives to what it uploads.
func (r *release) served() http.Handler {
	routes := http.NewServeMux()
	answers := func(pattern string, answer any) {
		routes.HandleFunc("GET "+pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer)
		})
	}
	routes.Handle("GET /files/", http.StripPrefix("/files/", http.FileServer(http.Dir(r.dir))))

	type object = map[string]any
	var platforms []object
	archives := object{}
	sums := "terraform-provider-embed_" + r.version + "_SHA256SUMS"
	registry := "/registry/" + engine.Source
	for i, platform := range r.platforms {
		system, architecture, _ := strings.Cut(platform, "_")
		file := filepath.Base(r.archives[i])
		sum := sumOf(r.archives[i])
		archives[platform] = object{"url": "/files/" + file, "hashes": []string{"zh:" + sum}}
		platforms = append(platforms, object{"os": system, "arch": architecture})
		answers(path.Join(registry, r.version, "download", system, architecture), object{
			"protocols": protocols(), "os": system, "arch": architecture, "filename": file, "shasum": sum,
			"download_url": "/files/" + file, "shasums_url": "/files/" + sums,
			"shasums_signature_url": "/files/" + sums + ".sig",
			"signing_keys":          object{"gpg_public_keys": []object{{"ascii_armor": r.key}}},
		})
	}
	answers(registry+"/versions", object{
		"versions": []object{{"version": r.version, "protocols": protocols(), "platforms": platforms}},
	})
	mirror := path.Join("/mirror", r.engine.Registry(), engine.Source)
	answers(mirror+"/index.json", object{"versions": object{r.version: object{}}})
	answers(mirror+"/"+r.version+".json", object{"archives": archives})
	return routes
}

// protocols are the versions of Terraform's protocol that the manifest names. The registries read them there.
func protocols() []string {
	var manifest struct {
		Version  int `json:"version"`
		Metadata struct {
			Protocols []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	text, err := os.ReadFile("../../terraform-registry-manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return nil // The engine then refuses the provider.
	}
	return manifest.Metadata.Protocols
}

func sumOf(file string) string {
	text, _ := os.ReadFile(file)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
