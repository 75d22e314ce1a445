package provider

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// EndWithEngine makes the process outlive the signals that end the engine, and end with it. A service manager, timeout,
// or a runner of pipelines sends SIGTERM to the whole process group. The engine then stops the provider in order. If
// the provider died of the signal itself, in the middle of a call, a rotated token would be in no state. go-plugin
// treats SIGINT in the same way.
//
// Nothing tells the provider when an engine is killed, and go-plugin waits for it forever. So the process looks whether
// it still has the parent that has started it. Windows has neither the signal nor another parent.
func EndWithEngine() {
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
