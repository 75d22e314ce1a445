// Schema prints the provider's schema in the form of `terraform providers schema -json`, for tfplugindocs. It asks the provider
// itself, in this process: no engine is needed, and none decides by its age what the documentation contains.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// address is where tfplugindocs looks for the schema, whatever the provider's real address is.
const address = "registry.terraform.io/hashicorp/embed"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func run() error {
	described, err := describe(context.Background(), provider.NewServer("docs")())
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(document{FormatVersion: "1.0", Schemas: map[string]*providerSchema{address: described}})
}
