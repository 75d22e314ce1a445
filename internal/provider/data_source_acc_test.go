package provider

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	acctest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

const dataSourceAddress = "data.embed_user_group.acme"

func expectData(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(dataSourceAddress, tfjsonpath.New(attribute), value)
}

// sensitiveIfTold passes where the engine does not tell what is sensitive because the schema says so.
type sensitiveIfTold struct{ statecheck.StateCheck }

func (s sensitiveIfTold) CheckState(ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	found, err := engine.AtHand()
	switch {
	case err != nil:
		resp.Error = err
	case engine.ShowSensitive.In(found):
		s.StateCheck.CheckState(ctx, req, resp)
	}
}

func TestAccDataSource(t *testing.T) {
	service, block := serviceFor(t, emulator.Options{FirstTeamID: 1<<53 + 1})
	group := service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd", Properties: json.RawMessage(`{ "rows": 90071992547409931, "tier":"gold" }`)})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{
			{
				Config: block + "data \"embed_user_group\" \"acme\" {\n  user_group_id = \"acme\"\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					expectData("id", knownvalue.StringExact("acme")),
					expectData("name", knownvalue.StringExact("Acme Ltd")),
					expectData("properties", knownvalue.StringExact(`{"rows":90071992547409931,"tier":"gold"}`)),
					expectData("token", knownvalue.StringExact(group.Token)),
					expectData("token_fingerprint", knownvalue.StringRegexp(regexp.MustCompile("^[0-9a-f]{12}$"))),
					expectData("team_id", knownvalue.Int64Exact(group.TeamID)),
					sensitiveIfTold{statecheck.ExpectSensitiveValue(dataSourceAddress, tfjsonpath.New("token"))},
				},
			},
			{
				Config: block + "data \"embed_user_group\" \"acme\" {\n  user_group_id = \"acme\"\n  store_token = false\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					expectData("token", knownvalue.Null()),
					expectData("token_fingerprint", knownvalue.StringRegexp(regexp.MustCompile("^[0-9a-f]{12}$"))),
				},
			},
		},
	})
	if calls := service.Calls(); service.Count("GET") != len(calls) || service.Creations("acme") > 0 {
		t.Errorf("a data source should only read: %v", calls)
	}
}

// A service that only echoes tells neither name nor properties, and a name that was made up for the question is none.
func TestAccDataSourceOfEchoes(t *testing.T) {
	service, block := serviceFor(t, emulator.Options{Answers: emulator.AnswersEcho, NameRequired: true})
	service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd", Properties: json.RawMessage(`{"tier":"gold"}`)})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{{
			Config: block + "data \"embed_user_group\" \"acme\" {\n  user_group_id = \"acme\"\n}\n",
			ConfigStateChecks: []statecheck.StateCheck{
				expectData("name", knownvalue.Null()),
				expectData("properties", knownvalue.Null()),
				expectData("token", knownvalue.NotNull()),
			},
		}},
	})
	if group, _ := service.Group("acme"); group.Name != "Acme Ltd" || service.Creations("acme") > 0 {
		t.Errorf("the lookup has changed the group: %v", group.Name)
	}
}

// Nobody is an error, and leaves nobody behind, whatever the service asks of a lookup.
func TestAccDataSourceOfNobody(t *testing.T) {
	for name, options := range map[string]emulator.Options{
		"by id":             {},
		"by name":           {NameRequired: true},
		"refused in a 200":  {NameRequired: true, Refusals: emulator.RefusalsSuccessZero},
		"told by echo only": {Answers: emulator.AnswersEcho},
	} {
		t.Run(name, func(t *testing.T) {
			service, block := serviceFor(t, options)
			acctest.ParallelTest(t, acctest.TestCase{
				ProtoV6ProviderFactories: factories("embed"),
				Steps: []acctest.TestStep{{
					Config:      block + "data \"embed_user_group\" \"acme\" {\n  user_group_id = \"acme\"\n}\n",
					ExpectError: regexp.MustCompile(`User group "acme" does not exist`),
				}},
			})
			if left := service.Groups(); len(left) > 0 || service.Creations("acme") != service.Deletions("acme") {
				t.Errorf("there is a shell: %v", left)
			}
		})
	}
}

// By the id of a group of the same configuration it is read when that group exists, and not before.
func TestAccDataSourceOfManagedGroup(t *testing.T) {
	service, block := serviceFor(t, emulator.Options{})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{{
			Config: block + `
resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}

data "embed_user_group" "acme" {
  user_group_id = embed_user_group.acme.id
}
`,
			ConfigStateChecks: []statecheck.StateCheck{expectData("name", knownvalue.StringExact("Acme Ltd"))},
		}},
	})
	if service.Creations("acme") != 1 || service.Deletions("acme") != 1 {
		t.Errorf("calls: %v", service.Calls())
	}
}
