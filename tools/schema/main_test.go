package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// TestAccSchemaIsTheEngines checks that tfplugindocs, which decodes the schema with terraform-json, gets the same
// schema from this tool as from an engine that supports all kinds of objects.
func TestAccSchemaIsTheEngines(t *testing.T) {
	engine.Needs(t, engine.Actions)
	found := engine.ForTest(t)
	dir := t.TempDir()
	configuration, err := engine.BuildProvider(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	const required = "terraform {\n  required_providers {\n    embed = { source = %q }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), fmt.Appendf(nil, required, engine.Source), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := found.Command(t.Context(), dir, engine.Environment(configuration), "providers", "schema", "-json")
	ask.Stderr = os.Stderr
	said, err := ask.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", found, err, said)
	}
	var theirs tfjson.ProviderSchemas
	if err := json.Unmarshal(said, &theirs); err != nil {
		t.Fatal(err)
	}

	described, err := describe(t.Context(), provider.NewServer("docs")())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(described)
	if err != nil {
		t.Fatal(err)
	}
	var ours tfjson.ProviderSchema
	if err := json.Unmarshal(text, &ours); err != nil {
		t.Fatal(err)
	}
	want := theirs.Schemas[engine.TerraformRegistry+"/"+engine.Source]
	if difference := cmp.Diff(want, &ours, cmp.Comparer(cty.Type.Equals)); difference != "" {
		t.Errorf("the engine (-) and this tool (+) differ:\n%s", difference)
	}
}
