package provider

import (
	"fmt"
	"regexp"
	"testing"

	acctest "github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

func triggered(id, when string, input int) string {
	return fmt.Sprintf(`
action "embed_rotate_user_group_token" "it" {
  config {
    user_group_id = %q
  }
}

resource "terraform_data" "trigger" {
  input = %d

  lifecycle {
    action_trigger {
      events  = [%s]
      actions = [action.embed_rotate_user_group_token.it]
    }
  }
}
`, id, input, when)
}

// The trigger rotates exactly once, when it fires, and not when it does not.
func TestAccActionTrigger(t *testing.T) {
	engine.Needs(t, engine.Actions)
	service, block := serviceFor(t, emulator.Options{})
	first := service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd"}).Token
	rotated := func(times int) func() {
		return func() {
			group, _ := service.Group("acme")
			if got := service.Rotations("acme"); got != times || (group.Token == first) != (times == 0) {
				t.Errorf("rotated %d times, and should be %d times", got, times)
			}
		}
	}
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{
			{Config: block + triggered("acme", "after_update", 1), PostApplyFunc: rotated(0)},
			{Config: block + triggered("acme", "after_update", 2), PostApplyFunc: rotated(1)},
			{Config: block + triggered("acme", "after_update", 2), PostApplyFunc: rotated(1)},
			{Config: block + triggered("acme", "before_update", 3), PostApplyFunc: rotated(2)},
		},
	})
	if service.Creations("acme") != 0 || service.Updates("acme") != 0 {
		t.Errorf("calls: %v", service.Calls())
	}
}

// Nobody is an error, and leaves nobody behind.
func TestAccActionOnNobody(t *testing.T) {
	engine.Needs(t, engine.Actions)
	service, block := serviceFor(t, emulator.Options{})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{{
			Config:      block + triggered("acme", "after_create", 1),
			ExpectError: regexp.MustCompile(`User group "acme" does not exist`),
		}},
	})
	if left := service.Groups(); len(left) > 0 || service.Rotations("acme") > 0 {
		t.Errorf("there is a shell: %v", left)
	}
}

// A lost answer does not make two rotations of one.
func TestAccActionWithLostAnswer(t *testing.T) {
	engine.Needs(t, engine.Actions)
	service, block := serviceFor(t, emulator.Options{})
	service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd"})
	service.Fail(emulator.Fault{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps:                    []acctest.TestStep{{Config: block + triggered("acme", "after_create", 1)}},
	})
	if service.Rotations("acme") != 1 || service.FaultsWaiting() > 0 {
		t.Errorf("rotated %d times: %v", service.Rotations("acme"), service.Calls())
	}
}

// Invoked by hand it tells the fingerprint and no token, and the state learns of it with the next refresh.
func TestAccActionInvoked(t *testing.T) {
	engine.Needs(t, engine.Actions)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	w.copy(examplesDir + "/actions/embed_rotate_user_group_token/action.tf")
	w.apply()
	out := w.must("apply", "-auto-approve", "-invoke=action.embed_rotate_user_group_token.acme")
	if !regexp.MustCompile(`fingerprint [0-9a-f]{12}`).MatchString(oneLine(out)) {
		t.Errorf("the progress does not tell the fingerprint:\n%s", out)
	}
	w.rotated("acme", 1)
	// The old token is in the state still, so destroying has to ask for the new one.
	w.must("destroy", "-auto-approve", "-refresh=false")
	if left := w.service.Groups(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
