package main

import "testing"

func TestParseGreeting(t *testing.T) {
	t.Parallel()
	if socket, err := parseGreeting("1|6|unix|/tmp/plugin1|grpc|\n"); err != nil || socket != "/tmp/plugin1" {
		t.Error(socket, err)
	}
	for _, line := range []string{"", "panic: no\n", "1|6|unix|/tmp/plugin1|netrpc|\n", "1|6|tcp|127.0.0.1:1234|grpc|\n"} {
		if _, err := parseGreeting(line); err == nil {
			t.Errorf("%q was taken for a greeting", line)
		}
	}
}
