package provider

import (
	"io"
	"log"
	"os"
	"strings"
)

// PrepareProcess tunes the process that serves the provider. It keeps secrets out of the standard logger and, unless
// the process is being debugged, turns off logs that nobody reads.
func PrepareProcess(debugging bool) {
	// net/http logs data that a service sends after the end of a response. It may contain a token.
	log.SetOutput(io.Discard)
	if !debugging {
		silenceUnreadLogs()
	}
}

// silenceUnreadLogs turns off the logs of the SDK and of the provider unless a TF_LOG variable is set. Without a
// level, the SDK formats every TRACE line as JSON and sends it to the engine, which parses and discards it. That
// would take a third of the CPU time of the provider. The engine still receives panics.
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
