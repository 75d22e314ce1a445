package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// newDemo has an engine that runs the commands of a shell whatever it is asked for.
func newDemo(t *testing.T, commands string) (*demo, *bytes.Buffer) {
	t.Helper()
	service, err := emulator.Start(emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	like := engine.Engine{Name: engine.OpenTofu, Version: "1.12.6", Path: filepath.Join(t.TempDir(), "engine")}
	if err := os.WriteFile(like.Path, []byte("#!/bin/sh\n"+commands), 0o700); err != nil {
		t.Fatal(err)
	}
	shown := &bytes.Buffer{}
	return &demo{
		screen:  &screen{out: shown},
		program: &program{Engine: like, command: "tofu", dir: t.TempDir()},
		service: service,
		secrets: map[string]bool{emulator.DefaultKey: true},
	}, shown
}

func TestRunExpectsTheExitCode(t *testing.T) {
	d, shown := newDemo(t, "echo Planned.; exit 2")
	if err := d.run(t.Context(), 2, "plan"); err != nil || d.failed || !strings.Contains(shown.String(), "Planned.") {
		t.Errorf("as expected: %v\n%s", err, shown)
	}
	for _, want := range []int{0, 1} {
		d.failed = false
		shown.Reset()
		err := d.run(t.Context(), want, "plan")
		if !errors.Is(err, errNotAsItShouldBe) || !d.failed || !strings.Contains(shown.String(), "FAILED: tofu plan ended with exit code 2 and") {
			t.Errorf("%d: %v\n%s", want, err, shown)
		}
	}
}

func TestStepsEndWhereOneFails(t *testing.T) {
	d, shown := newDemo(t, "")
	fails := func(_ context.Context, d *demo) error {
		d.expect(false, "it holds")
		return nil
	}
	if err := d.showSteps(t.Context(), []step{{"first", "", fails}, {"second", "", fails}}); err != nil || !d.failed {
		t.Errorf("failed: %t, %v", d.failed, err)
	}
	if !strings.Contains(shown.String(), "FAILED: not so: it holds") || strings.Contains(shown.String(), "second") {
		t.Errorf("shown:\n%s", shown)
	}
}

func TestExpectCalls(t *testing.T) {
	d, shown := newDemo(t, "")
	if d.expectCalls(calls{}); d.failed {
		t.Errorf("no call was made:\n%s", shown)
	}
	if d.expectCalls(calls{get: 1}); !d.failed {
		t.Errorf("a call was expected:\n%s", shown)
	}
}

func TestCheckSecrets(t *testing.T) {
	d, shown := newDemo(t, "")
	token := d.service.Seed(emulator.Group{ID: "acme", Name: "Acme"}).Token
	if d.checkSecrets(); d.failed || !strings.Contains(shown.String(), "none of the 1 tokens can be read above") {
		t.Errorf("nothing was told:\n%s", shown)
	}
	for _, secret := range []string{token, emulator.DefaultKey} {
		d, shown := newDemo(t, "")
		d.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Token: token})
		d.screen.say("token = %q", secret)
		if d.checkSecrets(); !d.failed || !strings.Contains(shown.String(), "FAILED: 1 of 2 secrets") {
			t.Errorf("%s was told:\n%s", secret, shown)
		}
	}
}

func TestSummaryCounts(t *testing.T) {
	t.Parallel()
	got := summary([]emulator.Call{
		{Method: get, Created: true},
		{Method: get, Created: true},
		{Method: get},
		{Method: put, Updated: true},
		{Method: put},
		{Method: post, Rotated: true},
		{Method: deletes, Deleted: true},
		{Method: deletes, Deleted: true},
		{Method: deletes, Deleted: true},
		{Method: deletes},
	})
	want := []string{
		"GET      get, or create what is absent      3 calls   2 groups created",
		"PUT      update                             2 calls   1 group updated",
		"POST     rotate the token                   1 calls   1 token rotated",
		"DELETE   delete                             4 calls   3 groups deleted",
		"                                           10 calls",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
