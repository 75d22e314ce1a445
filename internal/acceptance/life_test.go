package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// TestAccLifeOfAGroup checks that a group is updated in place, and that its token is unknown only in a plan that
// rotates it. Resources that depend on the token get the new one in the same apply. The test consists of the steps that
// authors of providers know, with the provider in this process. After each step, the plan must be empty.
func TestAccLifeOfAGroup(t *testing.T) { //nolint:paralleltest // resource.ParallelTest makes it parallel
	service := protocoltest.StartService(t, emulator.Options{FirstTeamID: 9007199254740993})
	config := func(name, quarter string) string {
		return fmt.Sprintf(`
provider "embed" {
  base_url = %q
  api_key  = %q
}

resource "embed_user_group" "acme" {
  user_group_id             = "acme"
  name                      = %q
  properties                = jsonencode({ rows = 9007199254740993, note = "<é&>" })
  rotate_token_when_changed = { quarter = %q }
}

resource "embed_user_group" "dependant" {
  user_group_id = "dependant"
  name          = embed_user_group.acme.token_fingerprint
}
`, service.URL(), emulator.DefaultKey, name, quarter)
	}
	const acme, dependant = "embed_user_group.acme", "embed_user_group.dependant"
	token, fingerprint, named := tfjsonpath.New("token"), tfjsonpath.New("token_fingerprint"), tfjsonpath.New("name")
	sameToken, newToken := statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesDiffer())
	dependantSaw := statecheck.CompareValuePairs(dependant, named, acme, fingerprint, compare.ValuesSame())
	step := func(name, quarter string, inPlan []plancheck.PlanCheck, inState ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{
			Config: config(name, quarter), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: inPlan},
			ConfigStateChecks: append(inState, dependantSaw),
		}
	}
	updates := plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"embed": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
		},
		Steps: []resource.TestStep{
			step("Acme", "Q1",
				[]plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(acme, token), plancheck.ExpectSensitiveValue(acme, token),
				},
				statecheck.ExpectKnownValue(acme, tfjsonpath.New("team_id"), knownvalue.Int64Exact(9007199254740993)),
				sameToken.AddStateValue(acme, token)),
			step("Acme Ltd", "Q1",
				[]plancheck.PlanCheck{updates, plancheck.ExpectKnownValue(acme, token, knownvalue.NotNull())},
				sameToken.AddStateValue(acme, token), newToken.AddStateValue(acme, token)),
			step("Acme Ltd", "Q2",
				[]plancheck.PlanCheck{
					updates, plancheck.ExpectUnknownValue(acme, token), plancheck.ExpectUnknownValue(dependant, named),
				},
				newToken.AddStateValue(acme, token)),
		},
		CheckDestroy: func(*terraform.State) error {
			if left := service.Groups(); len(left) > 0 {
				return fmt.Errorf("the service is left with %v", left)
			}
			return nil
		},
	})
}

// TestAccLostRotations loses all responses to two rotations, one of which was carried out, and runs again, as the guide
// Tokens says. Each token is rotated once.
func TestAccLostRotations(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	const trigger = `rotate_token_when_changed = { quarter = "Q1" }`
	w.applied(
		group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`, trigger),
		group("initech", `user_group_id = "initech"`, `name = "Initech Inc."`, trigger),
	)
	for id, kind := range map[string]emulator.FaultKind{"acme": emulator.CutAfterWork, "initech": emulator.CutBefore} {
		w.service.Fail(emulator.Fault{Method: http.MethodPost, ID: id, Kind: kind})
		w.service.Fail(emulator.Fault{Method: http.MethodGet, ID: id, Kind: emulator.CutBefore})
	}
	w.replace("main.tf", `"Q1"`, `"Q2"`)
	w.fails("It is not known whether the token was rotated", "apply", "-auto-approve", "-refresh=false")
	w.service.ClearFaults()
	w.rotated("acme", 1)
	w.rotated("initech", 0)
	planned := w.must("plan", "-out=planned")
	if strings.Count(planned, "token_fingerprint ") != 1 || !strings.Contains(planned, "2 to change") {
		t.Errorf("the plan shows not one rotation:\n%s", planned)
	}
	w.must("apply", "planned")
	w.rotated("acme", 1)
	w.rotated("initech", 1)
	w.plansNothing()
}
