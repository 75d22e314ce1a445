package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccSchemaIsTheEngines: what this tool prints is what an engine prints that knows all kinds of objects, word by word. The
// documentation is then the one that tfplugindocs would have got from that engine.
func TestAccSchemaIsTheEngines(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it runs an engine, so it needs TF_ACC=1")
	}
	engine.Needs(t, engine.Actions)
	found, err := engine.AtHand()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	configuration, err := engine.BuildProvider(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	environment := engine.Environment(configuration)
	ask := func(args ...string) []byte {
		t.Helper()
		command := exec.CommandContext(t.Context(), found.Path, args...)
		command.Dir, command.Env = dir, environment
		var said strings.Builder
		command.Stderr = &said
		answer, err := command.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s%s", found, args, err, answer, said.String())
		}
		return answer
	}

	write(t, filepath.Join(dir, "main.tf"),
		fmt.Sprintf("terraform {\n  required_providers {\n    embed = { source = %q }\n  }\n}\n", engine.Source))

	var theirs struct {
		FormatVersion string         `json:"format_version"`
		Schemas       map[string]any `json:"provider_schemas"`
	}
	decode(t, ask("providers", "schema", "-json"), &theirs)
	var ours struct {
		FormatVersion string         `json:"format_version"`
		Schemas       map[string]any `json:"provider_schemas"`
	}
	decode(t, printed(t), &ours)

	if ours.FormatVersion != theirs.FormatVersion {
		t.Errorf("the format is %s here, %s of the engine", ours.FormatVersion, theirs.FormatVersion)
	}
	there := theirs.Schemas[engine.TerraformRegistry+"/"+engine.Source]
	if there == nil {
		t.Fatalf("the engine tells of other providers: %v", theirs.Schemas)
	}
	if difference := cmp.Diff(there, ours.Schemas[address]); difference != "" {
		t.Errorf("the engine (-) and this tool (+) differ:\n%s", difference)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
}

// printed is what the tool, run as `make generate` runs it, writes to standard output.
func printed(t *testing.T) []byte {
	t.Helper()
	tool := exec.CommandContext(t.Context(), "go", "run", ".")
	var said strings.Builder
	tool.Stderr = &said
	text, err := tool.Output()
	if err != nil {
		t.Fatalf("go run .: %v\n%s", err, said.String())
	}
	return text
}
