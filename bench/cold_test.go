package main

import "testing"

func TestParseGreeting(t *testing.T) {
	t.Parallel()
	network, address, err := parseGreeting("1|6|unix|/tmp/plugin1|grpc|\n")
	if err != nil || network != "unix" || address != "/tmp/plugin1" {
		t.Error(network, address, err)
	}
	for _, line := range []string{"", "panic: no\n", "1|6|unix|/tmp/plugin1|netrpc|\n"} {
		if _, _, err := parseGreeting(line); err == nil {
			t.Errorf("%q was taken for a greeting", line)
		}
	}
}
