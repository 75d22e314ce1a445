package protocoltest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
)

// Run runs the tests of a package, and returns the exit code for TestMain. It gives every test the same environment,
// regardless of the variables that the shell sets for a real service or for Terraform, and adds the settings to it.
func Run(m *testing.M, settings ...string) int {
	environment := append(engine.Unbent(os.Environ(), "TF_ACC", "TF_LOG", "EMBED_TEST_"), settings...)
	os.Clearenv()
	for _, setting := range environment {
		name, value, _ := strings.Cut(setting, "=")
		if name == "" {
			continue // Windows keeps the current directory of each drive there
		}
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	// Tests leave much garbage and keep little alive. With the default, a quarter of their time goes into collecting it.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(256 << 20)
	return m.Run()
}

// CertificatePair returns a self-signed certificate for 127.0.0.1, which expires after validFor, and its key.
func CertificatePair(t *testing.T, validFor time.Duration) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(validFor),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return text("CERTIFICATE", signed), text("PRIVATE KEY", encoded)
}

// File writes a file in a temporary directory, and returns its path.
func File(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
