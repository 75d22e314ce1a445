package provider

import (
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Serve serves the provider to the engine that has started this process, or to a debugger, which is told how to attach.
// It tunes the process for that.
func Serve(version string, debugging bool) error {
	prepareProcess(debugging)
	var options []tf6server.ServeOpt
	if debugging {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		endWithEngine()
	}
	return tf6server.Serve(Address, NewServer(version), options...)
}

// prepareProcess tunes the process that serves the provider. It keeps secrets out of the standard logger, and turns
// off the logs of the SDK and of the provider, unless the process is being debugged or a TF_LOG variable is set.
// Without a level, the SDK formats every TRACE line and sends it to Terraform, which discards it. That takes a third
// of the CPU time.
func prepareProcess(debugging bool) {
	// net/http logs data that a service sends after the end of a response. It may contain a token.
	log.SetOutput(io.Discard)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300) // A quarter less CPU time, for 25 MiB.
	}
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		debugging = debugging || strings.HasPrefix(name, "TF_LOG") && value != ""
	}
	if !debugging {
		for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER_EMBED"} {
			_ = os.Setenv(name, "OFF")
		}
	}
}

// endWithEngine makes the process outlive the signals that end the engine, and end with it. A service manager, timeout,
// or a runner of pipelines sends SIGTERM to the whole process group. The engine then stops the provider in order. If
// the provider died of the signal itself, in the middle of a call, a rotated token would be in no state. go-plugin
// treats SIGINT in the same way.
//
// Nothing tells the provider when an engine is killed, and go-plugin waits for it forever. So the process looks whether
// it still has the parent that has started it. Windows has neither the signal nor another parent.
func endWithEngine() {
	signal.Ignore(syscall.SIGTERM)
	engine := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != engine {
				os.Exit(1)
			}
		}
	}()
}
