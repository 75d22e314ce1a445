package endtoend

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// underWay are the engines that run. Each has a process group of its own, so a Ctrl-C that ends the tests does not reach it.
var underWay struct {
	sync.Mutex
	commands map[*exec.Cmd]bool
}

// startEngine waits for the engine too, since a test may be at something else when its engine ends.
func startEngine(command *exec.Cmd) (ended <-chan error, err error) {
	underWay.Lock()
	defer underWay.Unlock()
	if err := command.Start(); err != nil {
		return nil, err
	}
	underWay.commands[command] = true
	with := make(chan error, 1)
	go func() {
		err := command.Wait()
		underWay.Lock()
		defer underWay.Unlock()
		delete(underWay.commands, command)
		with <- err
	}()
	return with, nil
}

// endOnSignal has an interrupt of the tests end the engines first. What it removes is what TestMain would have.
func endOnSignal(dir string) {
	underWay.commands = map[*exec.Cmd]bool{}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		endEngines(10 * time.Second)
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}()
}

func endEngines(grace time.Duration) {
	underWay.Lock() // for good: no test starts another one, or goes on when its own has ended
	for command := range underWay.commands {
		_ = interrupt(command)
	}
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		for command := range underWay.commands {
			if !groupRuns(command) {
				delete(underWay.commands, command)
			}
		}
		if len(underWay.commands) == 0 {
			return
		}
	}
	for command := range underWay.commands {
		endGroup(command)
	}
}
