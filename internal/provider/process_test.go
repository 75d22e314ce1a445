package provider

import (
	"io"
	"log"
	"os"
	"runtime/debug"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) { os.Exit(protocoltest.Run(m)) }

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
