package provider

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) { os.Exit(protocoltest.Run(m)) }

type serverTestKey struct{}

// TestLentContext checks that a lent context forwards to the original until takeBack is called. From then on it must
// be canceled and reference nothing.
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
	lent.takeBack()
	<-lent.Done()
	if lent.Value(serverTestKey{}) != nil || !errors.Is(lent.Err(), context.Canceled) {
		t.Errorf("after takeBack, the value is %v and the error is %v", lent.Value(serverTestKey{}), lent.Err())
	}
}

// TestServerLetsGoOfContexts checks that the values in a request's context can be collected once the request is
// answered, while the provider keeps running.
func TestServerLetsGoOfContexts(t *testing.T) {
	t.Parallel()
	server := NewServer("test")().(frameworkServer)
	for name, ask := range map[string]func(context.Context) error{
		"ValidateResourceConfig":     asks(server.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{}),
		"UpgradeResourceState":       asks(server.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{}),
		"UpgradeResourceIdentity":    asks(server.UpgradeResourceIdentity, &tfprotov6.UpgradeResourceIdentityRequest{}),
		"ReadResource":               asks(server.ReadResource, &tfprotov6.ReadResourceRequest{}),
		"PlanResourceChange":         asks(server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{}),
		"ApplyResourceChange":        asks(server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{}),
		"ImportResourceState":        asks(server.ImportResourceState, &tfprotov6.ImportResourceStateRequest{}),
		"ValidateDataResourceConfig": asks(server.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{}),
		"ReadDataSource":             asks(server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{}),
		"OpenEphemeralResource":      asks(server.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{}),
		"CallFunction":               asks(server.CallFunction, &tfprotov6.CallFunctionRequest{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer runtime.KeepAlive(server)
			collected := make(chan struct{})
			func() {
				held := new([1 << 16]byte)
				runtime.AddCleanup(held, func(done chan struct{}) { close(done) }, collected)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), serverTestKey{}, held))
				defer cancel()
				if err := ask(ctx); err != nil {
					t.Error(err)
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

func asks[Request, Response any](
	method func(context.Context, *Request) (*Response, error), req *Request,
) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := method(ctx, req)
		return err
	}
}

// TestPrepareProcess checks that the loggers of the SDK are off unless the engine or a debugger wants logs, and that
// GOGC counts if it is set.
func TestPrepareProcess(t *testing.T) {
	writer, percent := log.Writer(), debug.SetGCPercent(100)
	t.Cleanup(func() {
		log.SetOutput(writer)
		debug.SetGCPercent(percent)
	})
	loggers := []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER_EMBED"}
	for name, test := range map[string]struct {
		debugging    bool
		level, gogc  string
		logs         string
		collectsFrom int
	}{
		"for an engine":           {logs: "OFF", collectsFrom: 175},
		"for an engine that logs": {level: "TRACE", collectsFrom: 175},
		"for a debugger":          {debugging: true, collectsFrom: 175},
		"with GOGC set":           {gogc: "100", logs: "OFF", collectsFrom: 100},
	} {
		t.Run(name, func(t *testing.T) {
			log.SetOutput(writer)
			debug.SetGCPercent(100)
			t.Setenv("TF_LOG", "")
			t.Setenv("TF_LOG_PROVIDER", test.level)
			t.Setenv("GOGC", test.gogc)
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
			if got := debug.SetGCPercent(100); got != test.collectsFrom {
				t.Errorf("the heap grows by %d%% between collections, want %d%%", got, test.collectsFrom)
			}
		})
	}
}
