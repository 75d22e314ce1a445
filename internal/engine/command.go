package engine

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// grace is how long an interrupted engine may take to write its state before it is killed.
const grace = 15 * time.Second

// Command returns a command that runs the engine in dir, with an environment from Environment. The engine does
// not receive Ctrl-C from the terminal. It is interrupted when the context is done.
func (e Engine) Command(ctx context.Context, dir string, environment []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, e.Path, args...)
	command.Dir, command.Env = dir, environment
	ownGroup(command)
	command.Cancel = func() error { return Interrupt(command) }
	command.WaitDelay = grace
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
