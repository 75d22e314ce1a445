// Package acceptance tests what only an engine decides, every example, and every page. Tests whose names begin with
// TestAcc run a real engine and need TF_ACC=1. Where the steps of terraform-plugin-testing suffice, tests use them,
// with the provider in this process, because provider authors know these steps. All other tests run commands in a
// workbench.
package acceptance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

const acmeGroup = "embed_user_group.acme"

var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"embed": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
}

// accept runs the steps. It resets the counts of calls before each step, and checks that no groups are left at the
// end.
func accept(t *testing.T, service *emulator.Emulator, steps ...resource.TestStep) {
	t.Helper()
	for i := range steps {
		before := steps[i].PreConfig
		steps[i].PreConfig = func() {
			if before != nil {
				before()
			}
			service.ResetCounts()
		}
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps:                    steps,
		CheckDestroy: func(*terraform.State) error {
			if left := service.Groups(); len(left) > 0 {
				return fmt.Errorf("the service is left with %d groups", len(left))
			}
			return nil
		},
	})
}

// providerFor returns a provider block that points at the service.
func providerFor(service *emulator.Emulator) string {
	return fmt.Sprintf("provider \"embed\" {\n  base_url = %q\n  api_key = %q\n  retry_wait_min = \"1ms\"\n}\n",
		service.URL(), emulator.DefaultKey)
}

// made checks the calls of a step up to the end of apply, and that state and service agree about acme.
func made(service *emulator.Emulator, calls string) statecheck.StateCheck {
	return stateCheck(func(state attributes) error {
		group, _ := service.Group("acme")
		got := fmt.Sprint(state["token"], state["token_fingerprint"], state["team_id"], state["name"])
		if want := fmt.Sprint(group.Token, protocoltest.Fingerprint(group.Token), group.TeamID, group.Name); got != want {
			return fmt.Errorf("the state has %s, want %s", got, want)
		}
		if got := protocoltest.CallsOf(service); got != calls {
			return fmt.Errorf("the calls were %q, want %q", got, calls)
		}
		return nil
	})
}

// attributes are the attributes of acme, decoded from the engine's JSON.
type attributes map[string]any

type stateCheck func(attributes) error

func (check stateCheck) CheckState(
	_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse,
) {
	resp.Error = errors.New(acmeGroup + " is not in the state")
	for _, one := range req.State.Values.RootModule.Resources {
		if one.Address == acmeGroup {
			resp.Error = check(one.AttributeValues)
		}
	}
}

func at(attribute string) tfjsonpath.Path { return tfjsonpath.New(attribute) }
