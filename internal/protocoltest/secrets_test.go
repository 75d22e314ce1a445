package protocoltest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestLogsHaveNoSecrets checks that no key, token or header is logged at any level by any operation, and that the rest
// is readable. What internal/api masks is in its mask_test.go; this test covers the framework and the provider as well.
func TestLogsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	const gateway = "secret-of-the-gateway"
	p := bare(t)
	p.Serve(emulator.Options{})
	log := p.Logged()
	p.Configure(With(p.Arguments(), Object{"headers": Object{"X-Gateway": gateway}})).WantNone()

	var tokens []string
	remember := func() {
		for _, group := range p.Service.Groups() {
			tokens = append(tokens, group.Token)
		}
	}
	state := p.Updated(p.Nothing(), Acme("name", "Name in the log"))
	remember()
	state = p.Refreshed(state)
	for _, kind := range []emulator.FaultKind{
		emulator.CutAfterWork, emulator.HalfDocument, emulator.NoToken, emulator.HTML200,
	} {
		p.Fault(http.MethodPost, kind)
		p.Fault(http.MethodPut, kind)
		name := string(kind)
		state, _ = p.Update(state, Acme("name", name, "rotate_token_when_changed", Quarter(name)))
		remember()
	}
	p.Answered(http.MethodPost, `{"success":0,"message":"no `+tokens[len(tokens)-1]+` and `+emulator.DefaultKey+`"}`)
	p.Update(state, NextQuarter())
	p.Service.ClearFaults()
	tokens = append(tokens, p.Service.RotateBehind("acme"))
	p.Imported("acme")
	second(p.DataSource(ByID("acme"))).WantNone()
	second(p.Open(ByID("acme"))).WantNone()
	second(p.List(0, true, "acme", "nobody")).WantNone()
	second(p.Invoke(ByID("acme"))).WantNone()
	remember()
	p.WantDestroyed(state) // with a stale token
	p.Service.WaitIdle()

	text := log()
	for _, secret := range append(tokens, emulator.DefaultKey, gateway, "ugt_") {
		if at := strings.Index(text, secret); secret == "" || at >= 0 {
			t.Fatalf("the log shows %q: … %s …", secret, text[max(0, at-300):min(len(text), at+100)])
		}
	}
	// Check that logs were collected at all, and that what is not secret is readable.
	for _, readable := range []string{
		"Name in the log", `"@module":"sdk.framework"`, `"@module":"provider"`, "new_user_group", http.MethodDelete, "acme",
	} {
		if !strings.Contains(text, readable) {
			t.Errorf("the log of %d bytes does not show %q", len(text), readable)
		}
	}
	if got := len(tokens); got < 6 {
		t.Errorf("only %d tokens were collected", got)
	}
}
