package provider

import (
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// Serve serves the provider to the engine that has started this process, or to a debugger, which is told how to attach.
// It tunes the process for that. It returns when nothing is under way any more.
func Serve(version string, debugging bool) error {
	prepareProcess(debugging)
	begun := new(services)
	defer begun.finish()
	var options []tf6server.ServeOpt
	if debugging {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		endWithEngine(begun)
	}
	return tf6server.Serve(Address, func() tfprotov6.ProviderServer {
		return serverOf(&embedProvider{version, time.Now, nil, begun})
	}, options...)
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

// ignored are the signals that end an engine, and that its process group may get, too: of a service manager, timeout
// or a runner of pipelines, of a terminal that is closed, of Ctrl-\, and of a reader of the output that goes away. The
// engine then stops the provider in order, or dies. If the provider died of the signal itself, in the middle of a call,
// a rotated token would be in no state, and placeholders would stay. go-plugin treats SIGINT in the same way.
var ignored = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE}

// endWithEngine makes the process outlive the signals that end the engine, and end with it.
//
// Nothing tells the provider when an engine dies, and go-plugin waits for it forever. So the process looks whether it
// still has the parent that has started it. The connection to the engine is closed then, which stops what is under way.
// Windows has neither the signals nor another parent.
func endWithEngine(begun *services) {
	signal.Ignore(ignored...)
	engine := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != engine {
				begun.finish()
				os.Exit(1)
			}
		}
	}()
}

// services are those that this process has begun to use.
type services struct {
	mu  sync.Mutex
	all []*usergroup.Service
}

func (s *services) add(service *usergroup.Service) *usergroup.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, service)
	return service
}

// finish returns when nothing is under way at any of the services, and nothing can begin.
func (s *services) finish() {
	s.mu.Lock()
	defer s.mu.Unlock() // A service that is added later begins nothing: its engine is gone.
	for _, service := range s.all {
		service.Finish()
	}
}
