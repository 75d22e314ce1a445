package engine

import (
	"fmt"
	"path/filepath"
)

// Source is what a configuration calls the provider. Terraform and OpenTofu each look for it under the name of their
// own registry.
const (
	Namespace         = "dashembed"
	Source            = Namespace + "/embed"
	TerraformRegistry = "registry.terraform.io"
	OpenTofuRegistry  = "registry.opentofu.org"
)

// Registries are those of all engines.
func Registries() []string { return []string{TerraformRegistry, OpenTofuRegistry} }

// FromMirror is a CLI configuration that has an engine take providers from the directory and from nowhere else.
func FromMirror(dir string) []byte {
	const configuration = "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n"
	return fmt.Appendf(nil, configuration, filepath.ToSlash(dir))
}

// fromBuild is a CLI configuration that has an engine use the provider that was built into the directory, and no other.
func fromBuild(dir string) []byte {
	text := []byte("provider_installation {\n  dev_overrides {\n")
	for _, registry := range Registries() {
		text = fmt.Appendf(text, "    %q = %q\n", registry+"/"+Source, filepath.ToSlash(dir))
	}
	return append(text, "  }\n}\n"...)
}
