package engine

import (
	"os"
	"slices"
	"strings"
)

// Environment is that of this process for an engine with the CLI configuration.
func Environment(configuration string) []string {
	return append(Unbent(os.Environ()),
		"TF_CLI_CONFIG_FILE="+configuration, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}

// Unbent leaves out whatever would make an engine or the provider another one on some machine: a TF_CLI_ARGS, an
// EMBED_MAX_RETRIES, a proxy. A name that begins like one of kept stays.
func Unbent(environment []string, kept ...string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(setting string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		begins := func(with string) bool { return strings.HasPrefix(name, with) }
		return !slices.ContainsFunc(kept, begins) &&
			(slices.ContainsFunc([]string{"TF_", "TERRAFORM_", "EMBED_"}, begins) || strings.HasSuffix(name, "_PROXY"))
	})
}
