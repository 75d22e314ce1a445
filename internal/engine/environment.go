package engine

import (
	"os"
	"slices"
	"strings"
)

// Environment returns the environment in which to run an engine with the given CLI configuration file.
func Environment(configuration string) []string {
	return append(Unbent(os.Environ()),
		"TF_CLI_CONFIG_FILE="+configuration, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}

// Unbent returns the environment without the variables that change the behavior of an engine or of the provider, such
// as TF_CLI_ARGS, EMBED_MAX_RETRIES, or the address of a proxy. It keeps variables whose name begins with one of
// kept, which must be in upper case.
func Unbent(environment []string, kept ...string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(setting string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		begins := func(with string) bool { return strings.HasPrefix(name, with) }
		return !slices.ContainsFunc(kept, begins) &&
			(slices.ContainsFunc([]string{"TF_", "TERRAFORM_", "EMBED_"}, begins) || strings.HasSuffix(name, "_PROXY"))
	})
}
