package provider

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) { os.Exit(protocoltest.Run(m)) }

type serverTestKey struct{}

// TestLentContext checks that a lent context forwards to the original until takeBack is called. From then on it must
// be canceled and reference nothing. A stream takes it back at its end.
func TestLentContext(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Hour)
	inner, cancel := context.WithDeadline(context.WithValue(t.Context(), serverTestKey{}, "value"), deadline)
	lent := lend(inner)
	if got, _ := lent.Deadline(); !got.Equal(deadline) || lent.Value(serverTestKey{}) != "value" || lent.Err() != nil {
		t.Errorf("the deadline is %v, the value %v, the error %v", got, lent.Value(serverTestKey{}), lent.Err())
	}
	cancel()
	<-lent.Done()
	lent = lend(context.WithValue(t.Context(), serverTestKey{}, "value"))
	for item := range takingBack(lent, slices.Values([]string{"value", "value"})) {
		if got := lent.Value(serverTestKey{}); got != item {
			t.Errorf("while a stream is read, the value is %v", got)
		}
	}
	<-lent.Done()
	if lent.Value(serverTestKey{}) != nil || !errors.Is(lent.Err(), context.Canceled) {
		t.Errorf("after takeBack, the value is %v and the error is %v", lent.Value(serverTestKey{}), lent.Err())
	}
}

// keepsContext lists the methods of the server that keep the context of a request, because an engine calls them for
// each block, once in a run, or not at all.
var keepsContext = []string{
	"GetMetadata", "GetProviderSchema", "GetResourceIdentitySchemas", "GetFunctions", "ValidateProviderConfig",
	"ConfigureProvider", "StopProvider", "ValidateActionConfig", "ValidateListResourceConfig",
	"RenewEphemeralResource", // no ephemeral resource asks for it
}

// TestServerLetsGoOfContexts calls every other method. The values in the request's context must be collected once the
// response was read, while the provider keeps running.
func TestServerLetsGoOfContexts(t *testing.T) {
	t.Parallel()
	server := NewServer("test")().(frameworkServer)
	methods := reflect.TypeFor[frameworkServer]()
	for i := range methods.NumMethod() {
		method := methods.Method(i)
		if slices.Contains(keepsContext, method.Name) {
			continue
		}
		t.Run(method.Name, func(t *testing.T) {
			t.Parallel()
			defer runtime.KeepAlive(server)
			collected := make(chan struct{})
			func() {
				held := new([1 << 16]byte)
				runtime.AddCleanup(held, func(done chan struct{}) { close(done) }, collected)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), serverTestKey{}, held))
				defer cancel()
				request := reflect.New(method.Type.In(1).Elem())
				out := reflect.ValueOf(server).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(ctx), request})
				if !out[1].IsNil() {
					t.Error(out[1])
				}
				// A stream is produced while it is read.
				if stream := out[0].Elem().Field(0); stream.Type().CanSeq() && stream.Kind() == reflect.Func {
					for item := range stream.Seq() {
						_ = item
					}
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

// TestPrepareProcess checks that the loggers of the SDK are off unless the engine or a debugger wants logs.
func TestPrepareProcess(t *testing.T) {
	writer := log.Writer()
	t.Cleanup(func() { log.SetOutput(writer) })
	loggers := []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER_EMBED"}
	for name, test := range map[string]struct {
		debugging   bool
		level, logs string
	}{
		"for an engine":           {logs: "OFF"},
		"for an engine that logs": {level: "TRACE"},
		"for a debugger":          {debugging: true},
	} {
		t.Run(name, func(t *testing.T) {
			log.SetOutput(writer)
			t.Setenv("TF_LOG", "")
			t.Setenv("TF_LOG_PROVIDER", test.level)
			for _, variable := range loggers {
				t.Setenv(variable, "")
			}
			PrepareProcess(test.debugging)
			if log.Writer() != io.Discard {
				t.Error("the standard logger still writes")
			}
			for _, variable := range loggers {
				if got := os.Getenv(variable); got != test.logs {
					t.Errorf("%s is %q, want %q", variable, got, test.logs)
				}
			}
		})
	}
}
