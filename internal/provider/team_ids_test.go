package provider_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// respelling changes the team_id in each response of a service.
type respelling struct {
	InProcess
	as atomic.Pointer[string]
}

var numbers = regexp.MustCompile(`"team_id":\s*(\d+)`)

func (r *respelling) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.InProcess.RoundTrip(request)
	if as := r.as.Load(); err == nil && as != nil {
		body, _ := io.ReadAll(response.Body)
		body = numbers.ReplaceAll(body, []byte(`"team_id":`+*as))
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	return response, err
}

func withRespelling(t *testing.T, as string, test func(*Provider, *respelling)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := emulator.New(emulator.Options{})
		r := &respelling{InProcess: InProcess{Handler: service}}
		if as != "" {
			r.as.Store(&as)
		}
		p := Bare(t, providerserver.NewProtocol6(provider.NewForTests("test", time.Now, r)()))
		p.Use(service, emulator.Options{})
		p.Configure(p.Arguments()).WantNone()
		test(p, r)
	})
}

// A service writes its numbers as texts with zeros before them. A rotation is answered with the known number.
func TestTeamIDsWithZeros(t *testing.T) {
	t.Parallel()
	for _, as := range []string{`"000$1"`, `"+$1"`, `$1.0`, `"$1.0"`} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			withRespelling(t, as, func(p *Provider, _ *respelling) {
				state := p.Created(Acme())
				_, diags := p.Update(state, NextQuarter())
				diags.WantNone()
				p.Service.RotateBehind("acme")
				gone, diags := p.Read(state)
				diags.WantNone()
				if gone.Token() == state.Token() {
					t.Error("the state does not have the new token")
				}
			})
		})
	}
}

// A service moves from numbers to UUIDs, or back. A lookup has shown the known token with the new form, so that it is
// the known group's. A later rotation, by somebody else or by Terraform, makes no other group of it.
func TestTeamIDsChangeTheirForm(t *testing.T) {
	t.Parallel()
	const number, text = `$1`, `"t-$1"`
	for before, after := range map[string]string{number: text, text: number} {
		for _, isOurs := range []bool{false, true} {
			t.Run(fmt.Sprint(before, " to ", after, isOurs), func(t *testing.T) {
				t.Parallel()
				withRespelling(t, before, func(p *Provider, r *respelling) {
					state := p.Created(Acme())
					r.as.Store(&after)
					state = p.Refreshed(state)
					if isOurs {
						p.WantTruth(p.Updated(state, NextQuarter()), "acme")
						return
					}
					p.Service.RotateBehind("acme")
					found, diags := p.Read(state)
					diags.WantNone()
					p.WantTruth(found, "acme")
				})
			})
		}
	}
}
