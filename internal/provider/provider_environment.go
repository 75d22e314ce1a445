package provider

import (
	"cmp"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// ClientFromEnvironment returns what a provider block without arguments configures, for commands that reach the
// service as the provider does. The error lists everything that is missing or invalid.
func ClientFromEnvironment(version string) (api.Config, error) {
	var diags diag.Diagnostics
	read := providerModel{}.settings(&diags)
	read.client.UserAgent = userAgent(version, "", read.userAgentSuffix)
	var faults []error
	for _, fault := range diags.Errors() {
		faults = append(faults, errors.New(fault.Detail()))
	}
	return read.client, errors.Join(faults...)
}

// Advice returns what to check or change after a failed call, or an empty string, for the same commands.
func Advice(call *api.Error) string {
	return strings.ReplaceAll(cmp.Or(obstacleWords[call.Obstacle], kindWords[call.Kind]), "{method}", call.Method)
}
