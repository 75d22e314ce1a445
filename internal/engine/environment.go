package engine

import (
	"os"
	"slices"
	"strings"
)

// Environment returns the environment in which to run an engine with this CLI configuration.
func Environment(configuration string) []string {
	return append(Unbent(os.Environ()),
		"TF_CLI_CONFIG_FILE="+configuration, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}

// Unbent removes variables that make an engine or the provider behave differently, such as TF_CLI_ARGS,
// EMBED_MAX_RETRIES or a proxy, from the environment. It keeps names that begin with one of kept.
func Unbent(environment []string, kept ...string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(setting string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		begins := func(with string) bool { return strings.HasPrefix(name, with) }
		return !slices.ContainsFunc(kept, begins) &&
			(slices.ContainsFunc([]string{"TF_", "TERRAFORM_", "EMBED_"}, begins) || strings.HasSuffix(name, "_PROXY"))
	})
}
