package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Command returns a command that runs the engine in dir, with an environment from Environment. The engine does
// not receive Ctrl-C from the terminal. It is interrupted when the context is done.
func (e Engine) Command(ctx context.Context, dir string, environment []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, e.Path, args...)
	command.Dir, command.Env = dir, environment
	ownGroup(command)
	command.Cancel = func() error { return Interrupt(command) }
	command.WaitDelay = 15 * time.Second // An interrupted engine writes its state.
	return command
}

// ExitCode returns the exit code of a Command whose Run or Wait returned err. If the engine did not exit by itself,
// it returns err. It kills any processes that the command left behind.
func ExitCode(command *exec.Cmd, err error) (int, error) {
	if command.Process != nil {
		endGroup(command)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

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
		bends := slices.ContainsFunc([]string{"TF_", "TERRAFORM_", "EMBED_"}, begins) || strings.HasSuffix(name, "_PROXY")
		return bends && !slices.ContainsFunc(kept, begins)
	})
}
