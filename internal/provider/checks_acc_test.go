package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// planCheck and stateCheck have a function run in the middle of a step.
type planCheck struct{ check func() error }

func (c planCheck) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	resp.Error = c.check()
}

type stateCheck struct{ check func() error }

func (c stateCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = c.check()
}

// everythingComputed is what a plan of a new group leaves open.
const everythingComputed = "api_environment_tag id team_id token token_fingerprint"

// plans checks what a plan does to a resource, and which of its attributes, separated by blanks, it leaves open: no
// others. Actions are joined by a plus where there are two.
func plans(address, action, unknown string) plancheck.PlanCheck {
	return plannedChange{address, action, unknown}
}

type plannedChange struct{ address, action, unknown string }

func (c plannedChange) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != c.address || change.DeposedKey != "" {
			continue
		}
		var actions, unknown []string
		for _, action := range change.Change.Actions {
			actions = append(actions, string(action))
		}
		after, _ := change.Change.AfterUnknown.(map[string]any)
		for name, is := range after {
			switch is := is.(type) {
			case bool:
				if is {
					unknown = append(unknown, name)
				}
			case map[string]any:
				if len(is) > 0 {
					unknown = append(unknown, name)
				}
			}
		}
		slices.Sort(unknown)
		if got := strings.Join(actions, "+"); got != c.action {
			resp.Error = fmt.Errorf("%s: the plan is to %s, want %s; it differs in %s", c.address, got, c.action, differences(change.Change))
		}
		if got := strings.Join(unknown, " "); got != c.unknown {
			resp.Error = errors.Join(resp.Error, fmt.Errorf("%s: the plan leaves %q open, want %q", c.address, got, c.unknown))
		}
		return
	}
	resp.Error = fmt.Errorf("%s is not in the plan", c.address)
}

// differences names what a plan changes, without the values.
func differences(change *tfjson.Change) []string {
	before, _ := change.Before.(map[string]any)
	after, _ := change.After.(map[string]any)
	names := []string{}
	for name := range after {
		if asJSON(before[name]) != asJSON(after[name]) {
			names = append(names, name)
		}
	}
	return names
}

var atToken = tfjsonpath.New("token")

// attributes are some of a resource's; a value is compared as JSON, and nil is null.
type attributes map[string]any

// has checks some attributes of a resource in the state.
func has(address string, want attributes) statecheck.StateCheck {
	return stateAttributes{address, func() attributes { return want }}
}

// mirrors checks that the state tells of a group what the service has.
func (w *world) mirrors(address, id string) statecheck.StateCheck {
	return stateAttributes{address, func() attributes {
		group := w.group(id)
		return attributes{
			"id": id, "user_group_id": id, "name": group.Name,
			"token": group.Token, "token_fingerprint": fingerprint(group.Token), "team_id": group.TeamID,
		}
	}}
}

// stateSays and stateLacks look into the state file as text, for what it has to have after an error.
func (w *world) stateSays(text string) error {
	if !strings.Contains(w.state(), text) {
		return errors.New("the state file does not say " + text)
	}
	return nil
}

func (w *world) stateLacks(text string) error {
	if strings.Contains(w.state(), text) {
		return errors.New("the state file says " + text)
	}
	return nil
}

// absent checks that the service has no such group, which a lookup could have made.
func (w *world) absent(id string) func() error {
	return func() error {
		if _, exists := w.Group(id); exists {
			return errors.New("there is a group " + id)
		}
		return nil
	}
}

// rotations counts what has been done to a group's token since the step began.
func (w *world) rotations(id string, want int) func() error {
	return func() error { return equal("rotations of "+id, w.Rotations(id), want) }
}

// fingerprint is computed here once more, so that it cannot change unnoticed.
func fingerprint(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])[:12]
}

type stateAttributes struct {
	address string
	want    func() attributes
}

func (c stateAttributes) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	if req.State.Values == nil || req.State.Values.RootModule == nil {
		resp.Error = fmt.Errorf("%s: the state is empty", c.address)
		return
	}
	resources := req.State.Values.RootModule.Resources
	i := slices.IndexFunc(resources, func(r *tfjson.StateResource) bool { return r.Address == c.address && r.DeposedKey == "" })
	if i < 0 {
		resp.Error = fmt.Errorf("%s is not in the state", c.address)
		return
	}
	got, want := map[string]string{}, map[string]string{}
	for name, value := range c.want() {
		want[name] = asJSON(value)
		if has, there := resources[i].AttributeValues[name]; there {
			got[name] = asJSON(has)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		resp.Error = fmt.Errorf("%s (-want +in the state):\n%s", c.address, diff)
	}
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// output checks an output as text.
func output(name string, want func() string) statecheck.StateCheck {
	return stateOutput{name, want}
}

type stateOutput struct {
	name string
	want func() string
}

func (c stateOutput) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	if req.State.Values == nil || req.State.Values.Outputs[c.name] == nil {
		resp.Error = fmt.Errorf("the output %s is not in the state", c.name)
		return
	}
	if got := fmt.Sprint(req.State.Values.Outputs[c.name].Value); got != c.want() {
		resp.Error = fmt.Errorf("the output %s is %q, want %q", c.name, got, c.want())
	}
}

// equal is for step.then: nil when both are the same.
func equal(what string, got, want any) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s (-want +got):\n%s", what, diff)
	}
	return nil
}

// quoted writes a text as HCL does, in which a dollar or per cent sign before a brace has a meaning.
func quoted(text string) string {
	text = strconv.Quote(text)
	text = strings.ReplaceAll(text, "${", "$${")
	return strings.ReplaceAll(text, "%{", "%%{")
}
