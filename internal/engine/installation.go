package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Source is what a configuration calls the provider. Terraform and OpenTofu each look for it under the name of their
// own registry.
const (
	Namespace         = "dashembed"
	Source            = Namespace + "/embed"
	TerraformRegistry = "registry.terraform.io"
	OpenTofuRegistry  = "registry.opentofu.org"
)

// Registries returns the host names of the registries of all engines.
func Registries() []string { return []string{TerraformRegistry, OpenTofuRegistry} }

// FromMirror returns a CLI configuration with which an engine installs providers from the directory only.
func FromMirror(dir string) []byte {
	const configuration = "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n"
	return fmt.Appendf(nil, configuration, filepath.ToSlash(dir))
}

// Mirror lays the provider out in the directory, for FromMirror: its program, or the archives of a release as they are.
func Mirror(dir, version, platform string, files ...string) error {
	var failed error
	for _, registry := range Registries() {
		packed := filepath.Join(dir, registry, filepath.FromSlash(Source))
		unpacked := filepath.Join(packed, version, platform)
		for _, file := range files {
			to := filepath.Join(unpacked, "terraform-provider-embed_v"+version)
			if strings.HasSuffix(file, ".zip") {
				to = filepath.Join(packed, filepath.Base(file))
			}
			failed = errors.Join(failed, os.MkdirAll(filepath.Dir(to), 0o700), os.Symlink(file, to))
		}
	}
	return failed
}

// fromBuild is a CLI configuration that has an engine use the provider that was built into the directory, and no other.
func fromBuild(dir string) []byte {
	text := []byte("provider_installation {\n  dev_overrides {\n")
	for _, registry := range Registries() {
		text = fmt.Appendf(text, "    %q = %q\n", registry+"/"+Source, filepath.ToSlash(dir))
	}
	return append(text, "  }\n}\n"...)
}
