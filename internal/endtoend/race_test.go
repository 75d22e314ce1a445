//go:build race

package endtoend

// raceDetected: tests that are built with the race detector run a provider that is, too.
const raceDetected = true
