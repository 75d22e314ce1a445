// Package tinymodule is a module with a test of each kind, so that what runs tests can be tested.
package tinymodule

import (
	"os"
	"testing"
)

const tests = `package tiny

import (
	"os"
	"testing"
)

func TestGood(t *testing.T) {}

func TestBad(t *testing.T) { t.Fatal("it is broken") }

func TestSkipped(t *testing.T) { t.Skip("a whim") }

func TestOld(t *testing.T) { t.Skip("needs actions: Terraform >= 1.14, OpenTofu >= none (this is Terraform 1.13.5)") }

func TestUnbent(t *testing.T) {
	if os.Getenv("EMBED_ENVIRONMENT") + os.Getenv("TF_WORKSPACE") != "" || os.Getenv("EMBED_LONG_TESTS") == "" {
		t.Fatal(os.Environ())
	}
}

func TestAcc(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("no engine")
	}
}
`

// Enter has the test work in the module, as if from its root.
func Enter(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module tiny\n\ngo 1.25\n", "tiny_test.go": tests} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
