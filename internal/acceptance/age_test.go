package acceptance

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccATokenIsRotatedOnceItIsTooOld checks what only an engine knows: what it passes on to the second plan, which it
// requests when it applies a saved plan.
func TestAccATokenIsRotatedOnceItIsTooOld(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	acme := func(name string) {
		w.configure(group("acme", `user_group_id = "acme"`, `name = "`+name+`"`, "rotate_token_after_days = 90"))
	}
	acme("Acme")
	w.apply()
	w.ages("acme", 89)
	w.plansNothing()
	w.plansNothing("-refresh=false")

	w.ages("acme", 90)
	w.says("token_fingerprint", "plan", "-refresh=false", "-out=planned")
	w.must("apply", "planned")
	w.rotated("acme", 1)
	w.plansNothing()

	// Beside another change, the rotation needs a refresh.
	acme("New")
	w.ages("acme", 90)
	w.apply("-refresh=false")
	w.rotated("acme", 1)
	w.ages("acme", 90)
	acme("Newer")
	w.apply()
	w.rotated("acme", 2)
}

// TestAccAnImportStartsToCount checks that the first plan after an import shows that it sets token_rotated_at, and that
// the apply makes no call for that.
func TestAccAnImportStartsToCount(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.ImportBlock)
	w.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	w.configure(group("acme", append(acmeLines, "rotate_token_after_days = 90")...), importBlock("acme", `id = "acme"`))
	w.says("+ token_rotated_at = (known after apply)", "plan", "-out=planned")
	w.service.ResetCounts()
	w.must("apply", "planned")
	w.madeNoCall()
	w.plansNothing()
	w.ages("acme", 90)
	w.rotatesOnce("acme")
}
