package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func planned(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

// TestAccChangesOfAGroupMakeOneCallEach checks that, in the life of a group, each change makes at most one call. After
// the creation, the token is unknown only in a plan that rotates it. Resources that depend on the token get the new one
// in the same apply.
func TestAccChangesOfAGroupMakeOneCallEach(t *testing.T) {
	service := protocoltest.StartService(t, emulator.Options{FirstTeamID: 9007199254740993})
	config := func(name, quarter string, more string) string {
		return providerFor(service) + fmt.Sprintf(`
resource "embed_user_group" "acme" {
  user_group_id             = "acme"
  name                      = %q
  mapping                   = { sales = "warehouse" }
  properties                = jsonencode({ tier = "gold", rows = 9007199254740993, note = "<é&>" })
  rotate_token_when_changed = { quarter = %q }
  %s
}

resource "embed_user_group" "dependant" {
  user_group_id = "dependant"
  name          = embed_user_group.acme.token_fingerprint
}
`, name, quarter, more)
	}
	sameToken := statecheck.CompareValue(compare.ValuesSame())
	newToken := statecheck.CompareValue(compare.ValuesDiffer())
	dependantSaw := statecheck.CompareValuePairs("embed_user_group.dependant", at("name"),
		acmeGroup, at("token_fingerprint"), compare.ValuesSame())
	known := plancheck.ExpectKnownValue(acmeGroup, at("token"), knownvalue.NotNull())
	accept(
		t, service,
		resource.TestStep{
			Config: config("Acme", "Q1", ""),
			ConfigPlanChecks: planned(
				plancheck.ExpectResourceAction(acmeGroup, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(acmeGroup, at("id")),
				plancheck.ExpectUnknownValue(acmeGroup, at("token")),
				plancheck.ExpectSensitiveValue(acmeGroup, at("token")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				made(service, "GET > GET"),
				statecheck.ExpectKnownValue(acmeGroup, at("team_id"), knownvalue.Int64Exact(9007199254740993)),
				statecheck.ExpectKnownValue(acmeGroup, at("api_environment_tag"), knownvalue.Null()),
				sameToken.AddStateValue(acmeGroup, at("token")), dependantSaw,
			},
		},
		resource.TestStep{
			Config:           config("Acme Ltd", "Q1", ""),
			ConfigPlanChecks: planned(plancheck.ExpectResourceAction(acmeGroup, plancheck.ResourceActionUpdate), known),
			ConfigStateChecks: []statecheck.StateCheck{
				made(service, "GET > GET > PUT"),
				statecheck.ExpectKnownValue(acmeGroup, at("api_environment_tag"), knownvalue.StringExact("Customer")),
				sameToken.AddStateValue(acmeGroup, at("token")),
			},
		},
		resource.TestStep{
			Config: config("Acme Ltd", "Q1", "data_source_provided_id = \"ds-7\"\n  adopt_existing = true"),
			ConfigPlanChecks: planned(
				plancheck.ExpectResourceAction(acmeGroup, plancheck.ResourceActionUpdate), known,
			),
			ConfigStateChecks: []statecheck.StateCheck{
				made(service, "GET > GET"), newToken.AddStateValue(acmeGroup, at("token")),
			},
		},
		resource.TestStep{
			Config: config("Acme Ltd", "Q2", "data_source_provided_id = \"ds-7\""),
			ConfigPlanChecks: planned(
				plancheck.ExpectResourceAction(acmeGroup, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(acmeGroup, at("token")),
				plancheck.ExpectUnknownValue(acmeGroup, at("token_fingerprint")),
				plancheck.ExpectUnknownValue("embed_user_group.dependant", at("name")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				made(service, "GET > GET > POST > PUT"), newToken.AddStateValue(acmeGroup, at("token")), dependantSaw,
			},
		},
		resource.TestStep{
			// A group that was deleted elsewhere is created again.
			PreConfig:         func() { service.Remove("acme") },
			Config:            config("Acme Ltd", "Q2", ""),
			ConfigPlanChecks:  planned(plancheck.ExpectResourceAction(acmeGroup, plancheck.ResourceActionCreate)),
			ConfigStateChecks: []statecheck.StateCheck{newToken.AddStateValue(acmeGroup, at("token")), dependantSaw},
		},
	)
}
