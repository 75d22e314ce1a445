package acceptance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// oldState was written by Terraform 1.5.7 with main.tf next to it and the provider of that commit, after the token was
// rotated from quarter Q1 to Q2. Then, a refresh read the tokens below. A release that changes the states adds a file.
const oldState = "b6c1933"

// TestAccOldState checks that the provider reads the state of an older version, plans no changes for it, and knows from
// its private state that the imported group may have a mapping that nothing shows.
func TestAccOldState(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	w.copy("testdata/state/main.tf")
	text := readPage(t, "testdata/state/"+oldState+".json")
	w.write("terraform.tfstate", strings.ReplaceAll(text, "registry.terraform.io", w.engine.Registry()))
	var state struct {
		Resources []struct {
			Instances []struct {
				Attributes struct {
					ID         string  `json:"id"`
					Name       string  `json:"name"`
					Properties *string `json:"properties"`
					TeamID     int64   `json:"team_id"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		t.Fatal(err)
	}
	for _, resource := range state.Resources {
		was := resource.Instances[0].Attributes
		group := emulator.Group{ID: was.ID, Name: was.Name, TeamID: was.TeamID, Token: "ugt_dummy-token-of-" + was.ID}
		if was.Properties != nil {
			group.Properties = json.RawMessage(*was.Properties)
		}
		w.service.Seed(group)
	}
	w.plansNothing()
	w.onlyLooked()
	w.replace("main.tf", `name          = "Imported"`, "name = \"Imported\"\n  mapping = {}")
	w.says("update replaces whatever mapping the group has", "plan")
}
