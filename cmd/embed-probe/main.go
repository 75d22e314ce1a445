// Command embed-probe finds out how a dashboard service behaves where its contract leaves that open, and says what
// follows for a Terraform configuration. See the guide "Service behavior".
//
// It reads the environment variables of the provider, and exits with 0 if there is nothing to do first, with 1 if it
// ended early or may have left a group behind, with 2 after a wrong flag or variable, and with 3 if there is something
// to do before the first apply.
package main

import (
	"io"
	"log"
	"os"

	"github.com/dashembed/terraform-provider-embed/internal/probe"
)

func main() {
	// net/http logs data that a service sends after the end of a response. It may contain a token.
	log.SetOutput(io.Discard)
	os.Exit(probe.Command(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}
