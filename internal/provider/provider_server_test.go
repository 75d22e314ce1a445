package provider

import (
	"context"
	"io"
	"log"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

type serverTestKey struct{}

// TestServerReleasesContexts calls the methods that an engine calls for each instance. The values in the context of a
// request must be collected once the response was read, while the provider keeps running.
func TestServerReleasesContexts(t *testing.T) {
	t.Parallel()
	server := NewServer("test")().(frameworkServer)
	for _, method := range []string{
		"ValidateResourceConfig", "UpgradeResourceState", "ReadResource", "PlanResourceChange", "ApplyResourceChange",
		"ImportResourceState",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			defer runtime.KeepAlive(server)
			collected := make(chan struct{})
			func() {
				held := new([1 << 16]byte)
				runtime.AddCleanup(held, func(done chan struct{}) { close(done) }, collected)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), serverTestKey{}, held))
				defer cancel()
				called := reflect.ValueOf(server).MethodByName(method)
				out := called.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.New(called.Type().In(1).Elem())})
				if !out[1].IsNil() {
					t.Error(out[1])
				}
			}()
			for range 100 {
				runtime.GC()
				select {
				case <-collected:
					return
				default:
					runtime.Gosched()
				}
			}
			t.Error("the context is still referenced after the response")
		})
	}
}

// What a method keeps of its context sees the values and the end of the original one, and ends with the request.
func TestLentContext(t *testing.T) {
	t.Parallel()
	original, cancel := context.WithCancel(context.WithValue(t.Context(), serverTestKey{}, "value"))
	kept, err := released(original, nil, func(ctx context.Context, _ any) (context.Context, error) {
		if ctx.Value(serverTestKey{}) != "value" || ctx.Err() != nil {
			t.Errorf("the value is %v, and the error %v", ctx.Value(serverTestKey{}), ctx.Err())
		}
		cancel()
		<-ctx.Done()
		return ctx, ctx.Err()
	})
	if <-kept.Done(); kept.Value(serverTestKey{}) != nil || kept.Err() == nil || err == nil {
		t.Errorf("after the request, the value is %v, and the error %v", kept.Value(serverTestKey{}), kept.Err())
	}
}

// TestPrepareProcess checks that the loggers of the SDK are off unless the engine or a debugger wants logs, and that
// the garbage collector runs less often.
func TestPrepareProcess(t *testing.T) { //nolint:paralleltest // it changes the loggers of the process
	writer := log.Writer()
	t.Cleanup(func() { log.SetOutput(writer) })
	for _, test := range []struct {
		debugging   bool
		level, want string
	}{{false, "", "OFF"}, {false, "TRACE", ""}, {true, "", ""}} {
		t.Setenv("TF_LOG_PROVIDER", test.level)
		log.SetOutput(writer)
		loggers := []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER_EMBED"}
		for _, variable := range loggers {
			t.Setenv(variable, "")
		}
		prepareProcess(test.debugging)
		for _, variable := range loggers {
			if got := os.Getenv(variable); got != test.want || log.Writer() != io.Discard {
				t.Errorf("%+v: %s is %q; the standard logger writes to %v", test, variable, got, log.Writer())
			}
		}
	}
	// What the user sets for the garbage collector stays.
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for set, want := range map[string]int{"": 300, "100": 100} {
		t.Setenv("GOGC", set)
		prepareProcess(false)
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("with GOGC=%s, the garbage collector is set to %d, want %d", set, got, want)
		}
	}
}

// TestNothingBeginsOnceTheProcessEnds checks that a process that ends makes no further call. Both the end of the engine
// and that of the connection to it may find that it ends.
func TestNothingBeginsOnceTheProcessEnds(t *testing.T) {
	t.Parallel()
	begun := new(services)
	p := protocoltest.Start(t, func() tfprotov6.ProviderServer {
		return serverOf(&embedProvider{"test", time.Now, nil, begun})
	}, emulator.Options{})
	begun.finish()
	begun.finish()
	_, diags := p.Open(object{"user_group_id": "acme"})
	diags.WantError(`Cannot look up user group "acme"`, "The run was stopped")
	p.WantCalls("")
}
