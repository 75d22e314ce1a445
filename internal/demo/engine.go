package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// grace is how long an engine that was asked to stop may take before it is killed.
const grace = 15 * time.Second

// program is a terraform or tofu that works in one directory, knows one provider and reaches no network.
type program struct {
	engine.Engine
	// command is terraform or tofu.
	command string
	dir     string
	env     []string
}

func newProgram(ctx context.Context, path string, room workspace, colour bool) (*program, error) {
	if err := room.prepare(); err != nil {
		return nil, err
	}
	env := append(engine.Environment(room.cliConfiguration()), "TMPDIR="+room.sockets())
	found, err := engine.Find(ctx, path, env)
	if err != nil {
		return nil, err
	}
	p := &program{Engine: found, command: "terraform", dir: room.configuration(), env: env}
	if found.Name == engine.OpenTofu {
		p.command = "tofu"
	}
	if !colour {
		p.env = append(p.env, "TF_CLI_ARGS=-no-color")
	}
	return p, nil
}

// run runs a command of the engine and returns its exit code; an error means that it could not be run or was stopped.
func (p *program) run(ctx context.Context, out io.Writer, args ...string) (int, error) {
	command := exec.CommandContext(ctx, p.Path, args...)
	command.Dir, command.Env = p.dir, p.env
	command.Stdout, command.Stderr = out, out
	command.WaitDelay = grace
	ownGroup(command)
	err := command.Run()
	if command.Process != nil {
		endGroup(command)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	default:
		return 0, err
	}
}

// group is a user group as the state has it.
type group struct {
	ID          string      `json:"user_group_id"`
	Name        string      `json:"name"`
	Token       string      `json:"token"`
	Fingerprint string      `json:"token_fingerprint"`
	TeamID      json.Number `json:"team_id"`
}

// state asks the engine for the state, and returns its groups by id.
func (p *program) state(ctx context.Context) (map[string]group, error) {
	var answer bytes.Buffer
	switch code, err := p.run(ctx, &answer, "show", "-json"); {
	case err != nil:
		return nil, err
	case code != 0:
		return nil, fmt.Errorf("%s show -json ended with exit code %d", p.command, code)
	}
	var shown struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Values group `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	// The text itself, which has the tokens, must not get into an error.
	if err := json.Unmarshal(answer.Bytes(), &shown); err != nil {
		return nil, fmt.Errorf("%s show -json: not the JSON that was expected (%T)", p.command, err)
	}
	groups := map[string]group{}
	for _, resource := range shown.Values.RootModule.Resources {
		groups[resource.Values.ID] = resource.Values
	}
	return groups, nil
}
