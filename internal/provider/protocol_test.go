package provider_test

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// TestMain keeps the framework from logging each step through a schema, which is a sixth of the work of these tests.
// The script secrets of internal/acceptance reads those logs.
func TestMain(m *testing.M) { os.Exit(Run(m, "TF_LOG_SDK_FRAMEWORK=DEBUG")) }

// Titles of diagnostics, nearly all of them about the group acme.
const (
	adopted         = `A user group was adopted`
	alreadyExists   = `User group "acme" already exists`
	mismatched      = `The service returned a wrong response about user group "acme"`
	cannotLookUp    = `Cannot look up user group "acme"`
	cannotUpdate    = `Cannot update user group "acme"`
	cannotRotate    = `Cannot rotate the token of user group "acme"`
	cannotDelete    = `Cannot delete user group "acme"`
	destroyedWanted = `User group "acme" is both managed and destroyed`
	isProtected     = `User group "acme" is protected from deletion`
	notAsPlanned    = `A user group was not taken as it was sent`
	mayDiffer       = `The plan may differ from what the apply does`
	leftBehind      = `User group "acme" may remain after a lookup`
	replaced        = `User group "acme" was replaced, or the API key is the wrong one`
	outdated        = `The service shows an outdated token of user group "acme"`
	unexpectedToken = `A user group has an unexpected token`
	elsewhere       = `User group "acme" is in another environment`
	wrongKeyUsed    = `The API key does not belong to the expected environment`
	doesNotExist    = `User group "nobody" does not exist`
	invalidID       = "Invalid user_group_id"
	notConfigured   = "The provider is not configured yet"
)

// Acme returns a configuration that sets every argument that manages something at the service, with changes.
func Acme(changes ...any) Object {
	return With(Object{
		"user_group_id": "acme", "name": "Acme", "mapping": Object{"sales": "db-1"},
		"properties": `{"tier":"gold","rows":10}`, "rotate_token_when_changed": Quarter("Q1"),
	}, changes...)
}

// NextQuarter returns Acme with a trigger that rotates the token, with changes.
func NextQuarter(changes ...any) Object {
	return With(Acme("rotate_token_when_changed", Quarter("Q2")), changes...)
}

// Quarter returns the value of a trigger for rotations.
func Quarter(value string) Object { return Object{"quarter": value} }

// ByID returns the configuration of an object that looks up a group.
func ByID(id string) Object { return Object{"user_group_id": id} }

// adopting is Acme with adopt_existing.
func adopting(changes ...any) Object {
	return With(Acme("adopt_existing", true), changes...)
}

// response returns the body of a response about a group, with a token that the emulator has never issued.
func response(teamID int64, tag string) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":`+
		`{"team_id":%d,"token":"ugt_answer","name":"Acme","provided_id":"acme","api_environment_tag":%q}}`, teamID, tag)
}

func second[First, Second any](_ First, it Second) Second { return it }

// start returns a provider that is configured for a new emulator.
func start(t *testing.T, options emulator.Options) *Provider {
	t.Helper()
	return Start(t, provider.NewServer("test"), options)
}

// bare returns a provider that is not configured yet.
func bare(t *testing.T) *Provider {
	t.Helper()
	return Bare(t, provider.NewServer("test"))
}

// inVirtualTime runs a test with a provider that is configured for a new emulator, in virtual time and without a
// network.
func inVirtualTime(t *testing.T, options emulator.Options, test func(*testing.T, *Provider)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := emulator.New(options)
		p := Bare(t, providerserver.NewProtocol6(provider.NewForTests("test", time.Now, InProcess{Handler: service})()))
		p.Use(service, options)
		p.Configure(p.Arguments()).WantNone()
		test(t, p)
	})
}

// passed lets virtual time pass, and returns token_rotated_at for a rotation then.
func passed(wait time.Duration) string {
	time.Sleep(wait)
	return time.Now().UTC().Format(time.RFC3339)
}

// lastBody returns the body of the last call.
func lastBody(p *Provider) string {
	calls := p.Service.Calls()
	return string(calls[len(calls)-1].Body)
}
