package provider_test

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
		Body: `{"success":0,"message":"stored old-tier, OLD-DB; sent p\\u00e4ssword-1 (p%C3%A4ssword-1), new-db"}`,
	})
	for name, diags := range map[string]Diags{
		"GET":    second(p.Read(state)),
		"PUT":    second(p.Update(state, Acme("properties", `{"tier":"pässword-1"}`, "mapping", Object{"sales": "new-db"}))),
		"POST":   second(p.Update(state, Acme(append(stored, "rotate_token_when_changed", Object{"quarter": "Q2"})...))),
		"DELETE": second(p.Destroy(state)),
	} {
		want := "stored (secret), (secret); sent p"
		if name == "PUT" {
			want = "(withheld, because it repeats something confidential)"
		}
		if said := diags.String(); !strings.Contains(said, want) {
			t.Errorf("%s says:\n%s", name, said)
		}
	}
}

// What a user reads about a group whose property has its ID in capitals.
func TestIDsAreShown(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme("properties", `{"code":"ACME"}`))
	p.Service.Fail(emulator.Fault{
		Kind: emulator.Answer, Status: http.StatusUnprocessableEntity,
		Body: `{"success":0,"message":"user group acme: the name Acme must be unique"}`,
	})
	_, diags := p.Read(state)
	if said := diags.String(); !strings.Contains(said, "user group acme: the name Acme must be unique") {
		t.Error(said)
	}
}

// A redirect to a path with the token.
func TestRedirectsShowNoToken(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	token := state.Token()
	p.Service.Fail(emulator.Fault{
		Kind: emulator.Answer, Status: http.StatusTemporaryRedirect, Body: "-",
		Header: http.Header{"Location": {"https://other.example/tokens/" + token + "/db-1"}},
	})
	diags := second(p.Destroy(state))
	if said := diags.String(); strings.Contains(said, token) || strings.Contains(said, "db-1") {
		t.Error(said)
	}
}

// The state has only the fingerprint of the token. A service repeats the token in a refusal.
func TestTokensAreMaskedThatTheStateDoesNotHave(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{RepeatsRequests: true, UniqueNames: true})
	p.Service.Seed(emulator.Group{ID: "other", Name: "Taken"})
	state := p.Created(Acme("store_token", false))
	token := p.Group("acme").Token
	diags := second(p.Update(state, Acme("store_token", false, "name", "Taken")))
	if said := diags.String(); strings.Contains(said, token) {
		t.Error(said)
	}
}
