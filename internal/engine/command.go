package engine

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// grace is how long an engine that was interrupted may take to write its state.
const grace = 15 * time.Second

// Command is a command of the engine in the folder, with an environment that Environment has made. The terminal's
// Ctrl-C does not reach it; the end of the context does, as an interrupt.
func (e Engine) Command(ctx context.Context, folder string, environment []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, e.Path, args...)
	command.Dir, command.Env = folder, environment
	ownGroup(command)
	command.Cancel = func() error { return Interrupt(command) }
	command.WaitDelay = grace
	return command
}

// ExitCode is the exit code of a Command that has ended with this error. An engine that did not exit by itself has
// none. What either has left behind is ended.
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
