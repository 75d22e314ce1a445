// Command terraform-provider-embed is the Terraform provider for the user groups of a dashboard service.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debugging := flag.Bool("debug", false, "serve for a debugger: print how Terraform can attach, and keep running")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println("terraform-provider-embed", version)
		return
	}
	if !*debugging {
		silenceUnreadLogs()
	}
	// net/http writes what a service sends beyond its answer to the standard logger, and that may hold a token.
	log.SetOutput(io.Discard)
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: provider.Address,
		Debug:   *debugging,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-embed:", err)
		os.Exit(1)
	}
}

// silenceUnreadLogs turns the SDK's own logs off unless somebody has asked the engine for logs. Without a level the SDK
// formats every TRACE line as JSON and hands it to the engine, which parses it and throws it away: a third of all that
// the provider's process would do. Panics reach the engine nevertheless.
func silenceUnreadLogs() {
	for _, setting := range os.Environ() {
		if name, value, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER_EMBED"} {
		_ = os.Setenv(name, "OFF")
	}
}
