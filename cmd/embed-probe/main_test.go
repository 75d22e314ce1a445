package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// start starts an emulator, and sets the variables that it and the headers of a gateway need.
func start(t *testing.T, options emulator.Options) *emulator.Emulator {
	t.Helper()
	service, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	t.Setenv("EMBED_BASE_URL", service.URL())
	t.Setenv("EMBED_API_KEY", emulator.DefaultKey)
	t.Setenv("EMBED_HEADERS", `{"X-Gateway":"open"}`)
	t.Setenv("EMBED_USER_AGENT_SUFFIX", "pipeline/1")
	return service
}

const explained = `
ERROR  What an update does not send is cleared: properties and name
       Each update removes what your configuration does not manage, usually
       without a message. Manage every argument: set name, mapping and
       properties of every group, and list none of them in ignore_changes. Then
       every update sends all three.
       https://github.com/dashembed/terraform-provider-embed/blob/main/docs/guides/which-service.md#updates-that-clear`

func TestRun(t *testing.T) {
	isTesting := map[string]string{emulator.DefaultKey: "Testing"}
	for name, test := range map[string]struct {
		options emulator.Options
		args    string
		code    int
		says    string
	}{
		"safe":      {emulator.Options{Environments: isTesting}, "", 0, "Errors: 0. Notes: 1. Calls: 27."},
		"customers": {emulator.Options{}, "", 1, "\nThe probe ended early. The environment of the key is Customer.\n"},
		"named": {
			emulator.Options{},
			"-environment Customer", 0,
			`ok     A deletion with an old token      is refused: 404 {"message":…,"success":0}`,
		},
		"not safe": {
			emulator.Options{Environments: isTesting, Updates: emulator.UpdatesClear}, "", 3, explained,
		},
		"a wrong name": {emulator.Options{}, "-environment production", 2, ""},
		"a wrong flag": {emulator.Options{}, "-yes", 2, ""},
		"an argument":  {emulator.Options{}, "Customer", 2, ""},
		"help":         {emulator.Options{}, "-help", 0, ""},
		"another name": {emulator.Options{Environments: isTesting}, "-environment none", 1, "is Testing\n"},
	} {
		t.Run(name, func(t *testing.T) {
			service := start(t, test.options)
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr); code != test.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, test.code, &stderr, &stdout)
			}
			if !strings.Contains(stdout.String(), test.says) || test.says == "" && stdout.Len() > 0 {
				t.Errorf("printed\n%s", &stdout)
			}
			if progress := "calls so far"; test.says != "" && !strings.Contains(stderr.String(), progress) ||
				strings.Contains(stdout.String(), progress) {
				t.Errorf("the progress is\n%s", &stderr)
			}
			if groups := service.Groups(); len(groups) > 0 || test.says == "" && len(service.Calls()) > 0 {
				t.Errorf("left %v after %v", groups, service.Calls())
			}
			for _, call := range service.Calls() {
				agent := call.Header.Get("User-Agent")
				if call.Header.Get("X-Gateway") != "open" || agent != "terraform-provider-embed/probe pipeline/1" {
					t.Errorf("a call has the headers %v", call.Header)
				}
			}
		})
	}
}

func TestVariablesAreMissing(t *testing.T) {
	t.Setenv("EMBED_BASE_URL", "")
	t.Setenv("EMBED_API_KEY", "")
	t.Setenv("EMBED_API_KEY_FILE", "")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), nil, &stdout, &stderr)
	said := stderr.String()
	if code != 2 || !strings.Contains(said, "EMBED_BASE_URL") || !strings.Contains(said, "EMBED_API_KEY") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}
