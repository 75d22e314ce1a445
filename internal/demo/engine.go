package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// grace is how long an engine that was asked to stop may take before it is killed.
const grace = 15 * time.Second

// engine is a terraform or tofu that works in one directory, knows one provider and reaches no network.
type engine struct {
	path string
	// name is terraform or tofu, version what it calls itself, platform such as linux_amd64.
	name, version, platform string
	dir                     string
	env                     []string
}

func newEngine(ctx context.Context, path string, room workspace, colour bool) (*engine, error) {
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := room.prepare(); err != nil {
		return nil, err
	}
	e := &engine{path: path, dir: room.configuration(), env: append(withoutSettings(os.Environ()),
		"TF_CLI_CONFIG_FILE="+room.cliConfiguration(),
		"TMPDIR="+room.sockets(),
		"TF_INPUT=0",
		"TF_IN_AUTOMATION=1", // no hints at commands that are typed by hand
		"CHECKPOINT_DISABLE=1",
	)}
	var answer bytes.Buffer
	if _, err := e.run(ctx, &answer, "version"); err != nil {
		return nil, err
	}
	said := strings.Split(answer.String(), "\n")
	if len(said) < 2 || !strings.HasPrefix(said[1], "on ") {
		return nil, fmt.Errorf("%s does not say its version as terraform and tofu do: %q", path, answer.String())
	}
	e.version, e.platform, e.name = said[0], strings.TrimPrefix(said[1], "on "), "terraform"
	if strings.HasPrefix(e.version, "OpenTofu ") {
		e.name = "tofu"
	}
	if !colour {
		e.env = append(e.env, "TF_CLI_ARGS=-no-color")
	}
	return e, nil
}

// withoutSettings leaves out what would make the demo another one on some machine: a TF_CLI_ARGS, an EMBED_MAX_RETRIES.
func withoutSettings(environment []string) []string {
	var kept []string
	for _, setting := range environment {
		if !strings.HasPrefix(setting, "TF_") && !strings.HasPrefix(setting, "TERRAFORM_") && !strings.HasPrefix(setting, "EMBED_") {
			kept = append(kept, setting)
		}
	}
	return kept
}

// run runs a command of the engine and returns its exit code; an error means that it could not be run or was stopped.
func (e *engine) run(ctx context.Context, out io.Writer, args ...string) (int, error) {
	command := exec.CommandContext(ctx, e.path, args...)
	command.Dir, command.Env = e.dir, e.env
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
func (e *engine) state(ctx context.Context) (map[string]group, error) {
	var answer bytes.Buffer
	switch code, err := e.run(ctx, &answer, "show", "-json"); {
	case err != nil:
		return nil, err
	case code != 0:
		return nil, fmt.Errorf("%s show -json ended with exit code %d", e.name, code)
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
		return nil, fmt.Errorf("%s show -json: not the JSON that was expected (%T)", e.name, err)
	}
	groups := map[string]group{}
	for _, resource := range shown.Values.RootModule.Resources {
		groups[resource.Values.ID] = resource.Values
	}
	return groups, nil
}
