package provider

import (
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
)

// PrepareProcess fits a process that serves the provider for one walk of a graph to that: it keeps what nobody reads,
// or may read, out of the logs, and collects garbage less often. A process that is being debugged logs everything else.
func PrepareProcess(debugging bool) {
	// net/http writes what a service sends beyond its answer to the standard logger, and that may hold a token.
	log.SetOutput(io.Discard)
	if !debugging {
		silenceUnreadLogs()
	}
	collectLessOften()
}

// collectLessOften spends some megabytes on garbage to save processor time: with contexts that are let go, little is
// alive at any one time, and a process for one walk of a graph need not be tidy. bench/README.md has the figures. GOGC
// overrules it.
func collectLessOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(175)
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
