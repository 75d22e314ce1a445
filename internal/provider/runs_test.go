package provider_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// scene is what the service and the state have before a run, and what the run is to do.
type scene struct {
	groups  []emulator.Group
	state   State
	imports bool
	config  Object // nil for a destruction
}

// mishaps are what befalls one call of a run: a fault, or what another actor does just before the call.
var mishaps = map[string]any{
	"lost before the work": emulator.CutBefore,
	"lost after the work":  emulator.CutAfterWork,
	"refused":              emulator.Refuse,
	"without a token":      emulator.NoToken,
	"rotated elsewhere":    func(service *emulator.Emulator) { service.RotateBehind("acme") },
	"deleted elsewhere":    func(service *emulator.Emulator) { service.Remove("acme") },
	"replaced elsewhere": func(service *emulator.Emulator) {
		group, _ := service.Group("acme")
		service.Seed(emulator.Group{ID: "acme", Name: group.Name, Properties: group.Properties})
	},
}

var sample = flag.Int("sample", 8, "TestOneMishapIsHealedByTheNextRun plays one of so many mishaps; make test: all")

// TestOneMishapIsHealedByTheNextRun lets every mishap befall every call of every run, and then runs again without one.
// Then the state is the truth, the service has what is configured, and the next plan is empty; or an error says why
// not. The search in internal/usergroup proves the promises about single operations. What is shown here is that a
// state, with its private part, never claims what the next plan has to send or to do.
func TestOneMishapIsHealedByTheNextRun(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"sensible": {},
		"odd": {
			Answers: emulator.AnswersEcho, Refusals: emulator.RefusalsSuccessZero, StaleTokenStatus: http.StatusUnauthorized,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var p *Provider
				p = Bare(t, providerserver.NewProtocol6(provider.NewForTests("test", time.Now, InProcess{
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.Service.ServeHTTP(w, r) }),
				})()))
				p.Use(emulator.New(options), options)
				p.Configure(With(p.Arguments(), "max_retries", 1)).WantNone()
				count := 0
				for name, scene := range scenes(p) {
					scene.begin(p, options)
					_, _ = scene.run(p, 0, nil)
					for call := range p.Service.Calls() {
						for mishap, strikes := range mishaps {
							if (len(name)+len(mishap)+call)%*sample > 0 {
								continue
							}
							scene.begin(p, options)
							struck, first := scene.run(p, call+1, strikes)
							p.Service.ClearFaults()
							p.Service.ResetCounts()
							healed, then := struck.run(p, 0, nil)
							healed.check(p, first, then)
							if count++; t.Failed() {
								t.Fatalf("%s, %s at call %d:\n%s\nthen:\n%s", name, mishap, call+1, first, then)
							}
						}
					}
				}
				t.Logf("%d mishaps", count)
			})
		})
	}
}

// scenes returns what can be done to a group that Terraform has created, to one that it does not know, and to none.
func scenes(p *Provider) map[string]scene {
	theirs := []emulator.Group{{ID: "acme", Name: "Old", Properties: json.RawMessage(`{"old":true}`)}}
	all := map[string]scene{
		"create": {state: p.Nothing(), config: Acme()},
		"import": {groups: theirs, state: p.Nothing(), imports: true, config: Acme()},
		"adopt":  {groups: theirs, state: p.Nothing(), config: adopting()},
	}
	managed := scene{state: p.Created(Acme())}
	managed.groups = p.Service.Groups()
	for name, config := range map[string]Object{
		"no change": Acme(), "destroy": nil, "rotate": NextQuarter(), "replace": Acme("user_group_id", "other"),
		"update": Acme("mapping", Object{}), "both": NextQuarter("name", "New", "properties", `{"tier":"silver"}`),
	} {
		managed.config = config
		all[name] = managed
	}
	managed.state = p.Edited(managed.state, "store_token", false, "token", nil)
	managed.config = NextQuarter("store_token", false)
	all["rotate a token that is not stored"] = managed
	return all
}

// begin starts a service that is as the scene says. No number is used again.
func (s scene) begin(p *Provider, options emulator.Options) {
	options.FirstTeamID = 5000
	p.Service = emulator.New(options)
	p.ForgetLogs()
	for _, group := range s.groups {
		p.Service.Seed(group)
	}
}

// run refreshes or imports, plans and applies, a minute after the last run. It returns what that has led to. A mishap
// befalls the unlucky call.
func (s scene) run(p *Provider, unlucky int, strikes any) (after scene, diags Diags) {
	p.T.Helper()
	time.Sleep(time.Minute)
	calls := 0
	p.Service.BeforeCall(func(emulator.Call) {
		if calls++; calls != unlucky {
			return
		}
		switch strikes := strikes.(type) {
		case emulator.FaultKind:
			p.Service.Fail(emulator.Fault{Nth: 1, Kind: strikes})
		case func(*emulator.Emulator):
			strikes(p.Service)
		}
	})
	defer p.Service.BeforeCall(nil)
	p.Walk().WantNone()
	state, planned := s.state, Plan{}
	if s.imports && state.Value.IsNull() {
		state = Silent(p.Importing("acme", nil))
	}
	if !state.Value.IsNull() {
		if state, diags = p.ReadToo(state); diags.HasError() {
			return s, diags
		}
	}
	if s.config != nil || !state.Value.IsNull() {
		if planned = p.PlanToo(state, s.config); planned.Diags.HasError() {
			return s, planned.Diags
		}
		state, diags = p.Apply(planned)
	}
	if rotations := p.Service.Count("rotated", ""); rotations > 1 {
		p.T.Errorf("rotated %d times", rotations)
	}
	s.state = state
	return s, diags
}

// check checks what holds after the second run. said is what the first run has said.
func (s scene) check(p *Provider, first, then Diags) {
	p.T.Helper()
	if !first.HasError() && p.Service.Count("rotated", "") > 0 {
		p.T.Error("rotated although the run before has done so")
	}
	if then.HasError() {
		// The group exists, but nothing proves that it is ours; or the group to be imported is gone.
		title := then.List[0].Summary
		isGone := s.imports && strings.HasSuffix(title, "does not exist")
		if !isGone && !strings.HasSuffix(title, "already exists") {
			p.T.Error("the next run fails, too")
		}
		return
	}
	if s.config == nil {
		p.WantNoState(s.state)
		return
	}
	id := s.config["user_group_id"].(string)
	p.WantTruth(s.state, id)
	mapping := map[string]string{}
	for key, value := range s.config["mapping"].(Object) {
		mapping[key] = value.(string)
	}
	group := p.Group(id)
	if group.Name != s.config["name"] || !reflect.DeepEqual(group.Mapping, mapping) ||
		string(group.Properties) != s.config["properties"] {
		p.T.Errorf("the service has %+v", group)
	}
	p.WantSettled(s.state, s.config)
}
