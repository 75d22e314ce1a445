package acceptance

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// writeState is set by -write-state. The states in testdata/state were written by an engine with a released provider.
// Every later version must read them and plan no changes. Never edit old files, even if the schema changes, because
// users have such states. A release that changes the format of states adds a new file, written from the commit that
// is to be tagged:
//
//	TF_ACC=1 go test ./internal/acceptance -run TestOldStatesPlanNoChanges -write-state v0.2.0
var writeState = flag.String("write-state", "", "write testdata/state/VERSION.json with the provider as it is now")

// upgradeFile is the part of a state file that matters here.
type upgradeFile struct {
	Resources []struct {
		Type, Name string
		Instances  []struct {
			SchemaVersion         int64           `json:"schema_version"`
			Attributes            json.RawMessage `json:"attributes"`
			IdentitySchemaVersion int64           `json:"identity_schema_version"`
			Identity              json.RawMessage `json:"identity"`
			Private               []byte          `json:"private"`
		}
	}
}

// TestOldStatesPlanNoChanges checks that the provider reads the states of every release, and plans no changes for them.
func TestOldStatesPlanNoChanges(t *testing.T) {
	if *writeState != "" {
		upgradeWrite(t, filepath.Join("testdata", "state", *writeState+".json"))
	}
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "state", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no old states: %v", err)
	}
	for _, file := range files {
		var old upgradeFile
		if err := json.Unmarshal([]byte(readPage(t, file)), &old); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var names []string
		for _, resource := range old.Resources {
			names = append(names, resource.Name)
			instance := resource.Instances[0]
			t.Run(filepath.Base(file)+" "+resource.Name, func(t *testing.T) {
				t.Parallel()
				p := protocoltest.Start(t, provider.NewServer("test"), emulator.Options{})
				if instance.IdentitySchemaVersion != 0 {
					t.Fatal("no released version wrote an identity with another version")
				}
				state := upgraded(p, instance.SchemaVersion, instance.Attributes, instance.Identity)
				state.Private = instance.Private
				id := state.Get("user_group_id").(string)
				was := emulator.Group{
					ID: id, Name: state.Get("name").(string), TeamID: state.Get("team_id").(int64), Token: upgradeToken(id),
				}
				if text, managed := state.Get("properties").(string); managed {
					was.Properties = json.RawMessage(text)
				}
				p.Service.Seed(was)
				config := protocoltest.Object{}
				for _, attribute := range p.Configurable() {
					config[attribute] = state.Get(attribute)
				}
				p.WantSettled(state, config)
				read := p.Refreshed(state)
				p.WantCalls("GET")
				p.WantSame(read, state)
				p.WantSettled(read, config)
				unprotected := protocoltest.Value(p.Type(), protocoltest.With(read.Members(), "deletion_protection", nil))
				p.WantDestroyed(protocoltest.State{Value: unprotected, Private: read.Private, Identity: read.Identity})
				p.WantGroups()
			})
		}
		if got := strings.Join(names, " "); got != "everything imported minimal rotated without_token" {
			t.Errorf("%s has the resources %q", file, got)
		}
	}
}

// upgraded upgrades a state, as an engine does before it uses one. Engines upgrade an identity only if it has another
// version, and there is only one so far.
func upgraded(p *protocoltest.Provider, version int64, attributes, identity json.RawMessage) protocoltest.State {
	p.T.Helper()
	resp, err := p.Server.UpgradeResourceState(p.T.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: protocoltest.ResourceType, Version: version, RawState: &tfprotov6.RawState{JSON: attributes},
	})
	p.Must(err)
	p.Diagnostics(resp.Diagnostics).WantNone()
	var identified map[string]any
	p.Must(json.Unmarshal(identity, &identified))
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"user_group_id": tftypes.String}}
	data := &tfprotov6.ResourceIdentityData{IdentityData: p.Encode(protocoltest.Value(typ, identified))}
	return protocoltest.State{Value: p.Decode(p.Type(), resp.UpgradedState), Identity: data}
}

// upgradeToken returns the token that the service has for a group of a written state, even if the state does not
// store it.
func upgradeToken(id string) string { return "ugt_dummy-token-of-" + id }

// upgradeWrite writes a new file with the current provider. It runs a real engine, so it needs TF_ACC=1. The tokens at
// the service are replaced with dummies, which a refresh reads into the state, so that the file is exactly what the
// engine wrote.
func upgradeWrite(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s must not exist, because states of a release are never overwritten (%v)", file, err)
	}
	w := newWorkbench(t, emulator.Options{})
	w.service.Seed(emulator.Group{ID: "imported", Name: "Imported", Properties: json.RawMessage(`{"a":1}`)})
	w.copy("testdata/state/main.tf")
	for _, quarter := range []string{"Q1", "Q2"} {
		w.must("apply", "-auto-approve", "-var=quarter="+quarter)
	}
	for _, group := range w.service.Groups() {
		w.service.Change(group.ID, func(group *emulator.Group) { group.Token = upgradeToken(group.ID) })
	}
	w.must("apply", "-auto-approve", "-refresh-only", "-var=quarter=Q2")
	if err := os.WriteFile(file, []byte(w.read("terraform.tfstate")), 0o644); err != nil {
		t.Fatal(err)
	}
}
