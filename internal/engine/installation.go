package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Source is the source address of the provider in a configuration. Terraform and OpenTofu each prepend the host name
// of their registry.
const (
	Namespace         = "dashembed"
	Source            = Namespace + "/embed"
	TerraformRegistry = "registry.terraform.io"
	OpenTofuRegistry  = "registry.opentofu.org"
)

var registries = []string{TerraformRegistry, OpenTofuRegistry}

// FromMirror returns a CLI configuration that makes an engine install providers only from the directory.
func FromMirror(dir string) []byte {
	const configuration = "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n"
	return fmt.Appendf(nil, configuration, filepath.ToSlash(dir))
}

// Mirror links the files into the directory in the layout that FromMirror requires. A file is the provider's program
// or, if its name ends in .zip, an archive of a release.
func Mirror(dir, version, platform string, files ...string) error {
	var failed error
	for _, registry := range registries {
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

// fromBuild returns a CLI configuration that makes an engine use the provider that was built into the directory, and
// install no other.
func fromBuild(dir string) []byte {
	text := []byte("provider_installation {\n  dev_overrides {\n")
	for _, registry := range registries {
		text = fmt.Appendf(text, "    %q = %q\n", registry+"/"+Source, filepath.ToSlash(dir))
	}
	return append(text, "  }\n}\n"...)
}
