// Command terraform-provider-embed is the Terraform provider for the user groups of a dashboard service.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

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
	collectLessOften()
	// net/http writes what a service sends beyond its answer to the standard logger, and that may hold a token.
	log.SetOutput(io.Discard)
	var options []tf6server.ServeOpt
	if *debugging {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve(provider.Address, provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-embed:", err)
		os.Exit(1)
	}
}

// collectLessOften spends some megabytes on garbage to save processor time: with contexts that are let go, little is alive
// at any one time, and a process for one walk of a graph need not be tidy. bench/README.md has the figures. GOGC overrules it.
// bench/profile.go repeats it and what silenceUnreadLogs sets: change both together.
func collectLessOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
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
