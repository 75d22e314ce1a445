package proxies

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestSnippets: haproxy and nginx accept the lines that the guide shows.
func TestSnippets(t *testing.T) {
	if os.Getenv("EMBED_TEST_PROXIES") == "" {
		t.Skip("make test-proxies runs this")
	}
	page, err := os.ReadFile("../../docs/guides/proxies-and-gateways.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```text\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("the guide has %d text blocks, want 2", len(blocks))
	}
	dir := t.TempDir()
	for i, program := range []struct {
		name, above, below string
		arguments          []string
	}{
		{
			"haproxy",
			"defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\n" +
				"frontend in\n  bind 127.0.0.1:8698\n",
			"",
			[]string{"-c", "-f"},
		},
		{
			"nginx",
			"events {}\nhttp { upstream dashboards { server 127.0.0.1:9; } server { listen 127.0.0.1:8699;\n", "} }\n",
			[]string{"-t", "-g", "pid " + dir + "/pid; error_log stderr;", "-c"},
		},
	} {
		t.Run(program.name, func(t *testing.T) {
			path := engine.NeedsProgram(t, program.name)
			config := filepath.Join(dir, program.name)
			if err := os.WriteFile(config, []byte(program.above+blocks[i][1]+program.below), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), path, append(program.arguments, config)...).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
