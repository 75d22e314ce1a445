package provider

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocolLog collects the logs of the provider and of the framework, both at level TRACE.
type protocolLog struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *protocolLog) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

// logged collects all logs from here on. The context of each call carries the loggers, as it does with an engine.
func (p *protocol) logged() *protocolLog {
	log := new(protocolLog)
	p.ctx = tfsdklogtest.RootLogger(tflogtest.RootLogger(p.ctx, log), log)
	return log
}

func TestProtocolLogsNoSecrets(t *testing.T) {
	t.Parallel()
	const gateway = "secret-of-the-gateway"
	p := protocolBare(t)
	p.serve(emulator.Options{})
	log := p.logged()
	p.configure(protocolWith(p.arguments(), protocolObject{"headers": protocolObject{"X-Gateway": gateway}})).wantNone()

	var tokens []string
	remember := func() {
		for _, group := range p.service.Groups() {
			tokens = append(tokens, group.Token)
		}
	}
	state := p.updated(p.nothing(), protocolAcme("name", "Name in the log"))
	remember()
	state = p.refreshed(state)
	for _, kind := range []emulator.FaultKind{
		emulator.CutAfterWork, emulator.HalfDocument, emulator.NoToken, emulator.HTML200,
	} {
		p.fault(http.MethodPost, kind)
		p.fault(http.MethodPut, kind)
		name := kind.String()
		state, _ = p.update(state, protocolAcme("name", name, "rotate_token_when_changed", quarter(name)))
		remember()
	}
	p.answered(http.MethodPost, `{"success":0,"message":"no `+tokens[len(tokens)-1]+` and `+emulator.DefaultKey+`"}`)
	p.update(state, protocolNextQuarter())
	p.service.ClearFaults()
	tokens = append(tokens, p.service.RotateBehind("acme"))
	p.imported("acme")
	second(p.dataSource(byID("acme"))).wantNone()
	second(p.open(byID("acme"))).wantNone()
	second(p.list(0, true, "acme", "nobody")).wantNone()
	second(p.invoke(byID("acme"))).wantNone()
	remember()
	p.wantDestroyed(state) // with a stale token
	p.service.WaitIdle()

	text := log.text.String()
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
