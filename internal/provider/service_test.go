package provider

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// startService is an emulator for as long as the test takes.
func startService(t testing.TB, options emulator.Options) *emulator.Emulator {
	t.Helper()
	service, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	return service
}

// serviceFor is an emulator, and the block that has the provider use it.
func serviceFor(t *testing.T, options emulator.Options) (service *emulator.Emulator, block string) {
	t.Helper()
	service = startService(t, options)
	return service, providerBlock("embed", service.URL())
}
