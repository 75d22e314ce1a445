//go:build !race

package endtoend

const raceDetected = false
