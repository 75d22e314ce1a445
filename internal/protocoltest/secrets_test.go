package protocoltest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// A service can repeat what it has stored or was sent in any refusal, in an encoding of its own.
func TestStoredValuesAreMasked(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	stored := []any{"properties", `{"tier":"old-tier"}`, "mapping", Object{"sales": "old-db"}}
	state := p.Created(Acme(stored...))
	p.Service.Fail(emulator.Fault{
		Kind: emulator.Answer, Status: http.StatusUnprocessableEntity,
		Body: `{"success":0,"message":"stored old-tier, OLD-DB; sent p\\u00e4ss-1 (p%C3%A4ss-1), new-db"}`,
	})
	for name, diags := range map[string]Diags{
		"GET":    second(p.Read(state)),
		"PUT":    second(p.Update(state, Acme("properties", `{"tier":"päss-1"}`, "mapping", Object{"sales": "new-db"}))),
		"POST":   second(p.Update(state, Acme(append(stored, "rotate_token_when_changed", Object{"quarter": "Q2"})...))),
		"DELETE": second(p.Destroy(state)),
	} {
		want := "stored (secret), (secret); sent p"
		if name == "PUT" {
			want = "stored (secret), (secret); sent (secret) ((secret)), (secret)"
		}
		if said := diags.String(); !strings.Contains(said, want) {
			t.Errorf("%s says:\n%s", name, said)
		}
	}
}
