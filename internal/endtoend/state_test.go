package endtoend

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// kept is a group as the state has it.
type kept struct {
	ID          string            `json:"user_group_id"`
	Name        string            `json:"name"`
	Mapping     map[string]string `json:"mapping"`
	Properties  *string           `json:"properties"`
	Token       string            `json:"token"`
	Fingerprint string            `json:"token_fingerprint"`
	TeamID      int64             `json:"team_id"`
	Tag         *string           `json:"api_environment_tag"`
	Trigger     map[string]string `json:"rotate_token_when_changed"`
}

func startService(t *testing.T, options emulator.Options) *emulator.Emulator {
	t.Helper()
	service, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	return service
}

// state returns the groups of the state by id. No instance may be tainted or deposed: the next apply would destroy a
// customer because of it.
func (w *workspace) state() map[string]kept {
	w.t.Helper()
	shown := w.run("show", "-json").succeeded(w.t)
	var parsed struct {
		Values struct {
			Root struct {
				Resources []struct {
					Values  kept   `json:"values"`
					Tainted bool   `json:"tainted"`
					Deposed string `json:"deposed_key"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal([]byte(shown.out), &parsed); err != nil {
		w.t.Fatalf("show -json is not the JSON that was expected (%T)", err)
	}
	state := map[string]kept{}
	for _, resource := range parsed.Values.Root.Resources {
		one := resource.Values
		if resource.Tainted || resource.Deposed != "" {
			w.t.Errorf("%s is tainted (%t) or deposed (%q)", one.ID, resource.Tainted, resource.Deposed)
		}
		if _, twice := state[one.ID]; twice {
			w.t.Errorf("%s is in the state twice", one.ID)
		}
		state[one.ID] = one
	}
	return state
}

// agrees compares the state with the service, group by group and field by field.
func (w *workspace) agrees() map[string]kept {
	w.t.Helper()
	state := w.state()
	stored := map[string]bool{}
	for _, there := range w.service.Groups() {
		stored[there.ID] = true
		here, ok := state[there.ID]
		if !ok {
			w.t.Errorf("the service has %s, and the state does not: an orphan", there.ID)
			continue
		}
		compareGroup(w.t, here, there)
	}
	for id := range state {
		if !stored[id] {
			w.t.Errorf("the state has %s, and the service does not", id)
		}
	}
	return state
}

// agreesOn compares only the groups of the state, for a service that has other groups too.
func (w *workspace) agreesOn(state map[string]kept) {
	w.t.Helper()
	for id, here := range state {
		there, ok := w.service.Group(id)
		if !ok {
			w.t.Errorf("the state has %s, and the service does not", id)
			continue
		}
		compareGroup(w.t, here, there)
	}
}

func compareGroup(t *testing.T, here kept, there emulator.Group) {
	t.Helper()
	sum := sha256.Sum256([]byte(there.Token))
	switch {
	case here.Token != there.Token:
		t.Errorf("%s: the token of the state is not the service's", here.ID)
	case here.Fingerprint != hex.EncodeToString(sum[:6]):
		t.Errorf("%s: the fingerprint of the state is not the token's", here.ID)
	case here.TeamID != there.TeamID:
		t.Errorf("%s: team_id is %d, and %d at the service", here.ID, here.TeamID, there.TeamID)
	case here.Name != there.Name:
		t.Errorf("%s: the name is %q, and %q at the service", here.ID, here.Name, there.Name)
	case here.Tag != nil && *here.Tag != there.Environment:
		t.Errorf("%s: the environment is %q, and %q at the service", here.ID, *here.Tag, there.Environment)
	case here.Mapping != nil && !maps.Equal(here.Mapping, there.Mapping):
		t.Errorf("%s: the mapping is %v, and %v at the service", here.ID, here.Mapping, there.Mapping)
	case here.Properties != nil && !sameJSON(*here.Properties, string(there.Properties)):
		t.Errorf("%s: the properties differ from the service's", here.ID)
	}
}

func sameJSON(a, b string) bool {
	var first, second any
	return json.Unmarshal([]byte(a), &first) == nil && json.Unmarshal([]byte(b), &second) == nil && reflect.DeepEqual(first, second)
}

// plansNothing is the last word on whether configuration, state and service are one.
func (w *workspace) plansNothing() {
	w.t.Helper()
	if planned := w.run("plan", "-detailed-exitcode"); planned.code != 0 {
		w.t.Errorf("the plan after it ended with %d, and should have had nothing to do\n%s", planned.code, planned.errors())
	}
}

// eventually waits for what a run beside the test brings about.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !happened(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("this did not happen within a minute: %s", what)
		}
	}
}

// sorted lists ids for messages and loops that are the same every time.
func sorted[V any](all map[string]V) []string { return slices.Sorted(maps.Keys(all)) }
