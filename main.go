// Command terraform-provider-embed is the Terraform provider for the user groups of a dashboard service.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger: print how Terraform can attach, and keep running")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println("terraform-provider-embed", version)
		return
	}
	// net/http writes what a service sends beyond its answer to the standard logger, and that may hold a token.
	log.SetOutput(io.Discard)
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: provider.Address,
		Debug:   *debug,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-embed:", err)
		os.Exit(1)
	}
}
