package acceptance

import (
	"fmt"
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

func at(attribute string) tfjsonpath.Path { return tfjsonpath.New(attribute) }

func planned(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

// TestAccLifeOfAGroup checks that a group is updated in place, and that its token is unknown only in a plan that
// rotates it. Resources that depend on the token get the new one in the same apply. The test consists of the steps that
// authors of providers know, with the provider in this process. After each step, the plan must be empty.
func TestAccLifeOfAGroup(t *testing.T) {
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
  mapping                   = { sales = "warehouse" }
  properties                = jsonencode({ tier = "gold", rows = 9007199254740993, note = "<é&>" })
  rotate_token_when_changed = { quarter = %q }
}

resource "embed_user_group" "dependant" {
  user_group_id = "dependant"
  name          = embed_user_group.acme.token_fingerprint
}
`, service.URL(), emulator.DefaultKey, name, quarter)
	}
	const acme, dependant = "embed_user_group.acme", "embed_user_group.dependant"
	updates := plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)
	sameToken := statecheck.CompareValue(compare.ValuesSame())
	newToken := statecheck.CompareValue(compare.ValuesDiffer())
	dependantSaw := statecheck.CompareValuePairs(
		dependant, at("name"), acme, at("token_fingerprint"), compare.ValuesSame(),
	)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"embed": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
		},
		Steps: []resource.TestStep{
			{
				Config: config("Acme", "Q1"),
				ConfigPlanChecks: planned(
					plancheck.ExpectUnknownValue(acme, at("id")),
					plancheck.ExpectUnknownValue(acme, at("token")),
					plancheck.ExpectSensitiveValue(acme, at("token")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acme, at("team_id"), knownvalue.Int64Exact(9007199254740993)),
					statecheck.ExpectKnownValue(acme, at("api_environment_tag"), knownvalue.Null()),
					sameToken.AddStateValue(acme, at("token")), dependantSaw,
				},
			},
			{
				Config:           config("Acme Ltd", "Q1"),
				ConfigPlanChecks: planned(updates, plancheck.ExpectKnownValue(acme, at("token"), knownvalue.NotNull())),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acme, at("api_environment_tag"), knownvalue.StringExact("Customer")),
					sameToken.AddStateValue(acme, at("token")), newToken.AddStateValue(acme, at("token")),
				},
			},
			{
				Config: config("Acme Ltd", "Q2"),
				ConfigPlanChecks: planned(
					updates,
					plancheck.ExpectUnknownValue(acme, at("token")),
					plancheck.ExpectUnknownValue(dependant, at("name")),
				),
				ConfigStateChecks: []statecheck.StateCheck{newToken.AddStateValue(acme, at("token")), dependantSaw},
			},
		},
		CheckDestroy: func(*terraform.State) error {
			if left := service.Groups(); len(left) > 0 {
				return fmt.Errorf("the service is left with %v", left)
			}
			return nil
		},
	})
}
