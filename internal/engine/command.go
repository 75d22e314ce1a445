package engine

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// grace is how long an engine that was interrupted may take to write its state.
const grace = 15 * time.Second

// Command returns a command that runs the engine in the folder, with an environment from Environment. It does not get
// the terminal's Ctrl-C, but an interrupt when the context ends.
func (e Engine) Command(ctx context.Context, folder string, environment []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, e.Path, args...)
	command.Dir, command.Env = folder, environment
	ownGroup(command)
	command.Cancel = func() error { return Interrupt(command) }
	command.WaitDelay = grace
	return command
}

// ExitCode returns the exit code of a Command that ended with this error, or the error if the engine did not exit by
// itself. It ends the processes that the command has left behind.
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
