// Command terraform-provider-embed is the Terraform provider for the user groups of a dashboard service.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debugging := flag.Bool("debug", false, "for debuggers: print how Terraform can attach, and keep running")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println("terraform-provider-embed", version)
		return
	}
	if err := provider.Serve(version, *debugging); err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-embed:", err)
		os.Exit(1)
	}
}
