package acceptance

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const acmeBlock = `
resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
`

// rotates follows the blocks about rotations: a restart, a schedule, the age, and an emergency.
func rotates(r *reader) {
	r.begins(acmeBlock + r.take("terraform"))
	r.service.RotateBehind("acme")
	r.says("1 to add, 0 to change, 1 to destroy", "plan")

	computed := strings.ReplaceAll(r.take("terraform"), `"acme"`, `"other"`)
	r.begins(computed)
	r.plansNothing()
	for i, now := range []string{
		"2025-01-01T00:00:00Z", "2025-03-31T23:59:59Z", "2025-04-01T00:00:00Z", "2025-12-31T23:59:59Z",
		"2026-01-01T00:00:00Z",
	} {
		r.write("main.tf", strings.ReplaceAll(computed, "plantimestamp()", fmt.Sprintf("%q", now)))
		r.apply()
		r.rotated("other", []int{1, 1, 2, 3, 4}[i])
	}

	// Each customer has its own number of days, between 80 and 99.
	byAge := strings.NewReplacer(`acme = "Acme Ltd"`, `a = "A"`, `initech = "Initech Inc."`, `b = "B"`)
	r.begins(byAge.Replace(r.take("terraform")))
	shown := r.must("show", "planned")
	for _, id := range []string{"a", "b"} {
		sum := sha256.Sum256([]byte(id))
		days := 80 + int(binary.BigEndian.Uint16(sum[:]))%20
		r.quotes(fmt.Sprintf("+ rotate_token_after_days = %d", days), shown)
		r.ages(id, days-1)
		r.plansNothing()
		r.ages(id, days)
		r.rotatesOnce(id)
	}

	emergency := strings.NewReplacer(`acme = "Acme Ltd"`, `leaky = "Leaky"`, `initech = "Initech Inc."`, `tight = "Tight"`)
	r.begins(emergency.Replace(r.take("terraform")))
	r.shell(strings.ReplaceAll(r.take("shell"), "acme", "leaky"))
	r.rotated("leaky", 1)
	r.rotated("tight", 0)
	r.write("terraform.tfvars", "incidents = { leaky = 1 }\n")
	r.plansNothing()
}

// keepsSecretCurrent creates, rotates, and meets a rotation made elsewhere, with the block and then with the example
// that does the same. The first plan makes no call.
func keepsSecretCurrent(r *reader) {
	engine.Needs(r.t, engine.WriteOnly)
	store := r.bringsStores()
	var tokens []string
	wrote := func(rotations int) {
		r.t.Helper()
		r.apply()
		r.plansNothing()
		r.wantNoFileWith(tokenPattern)
		r.rotated("acme", rotations)
		acme, _ := r.service.Group("acme")
		if tokens = append(tokens, acme.Token); !slices.Equal(store.secrets(), tokens) {
			r.t.Errorf("%d secrets were written, want the %d tokens so far", len(store.secrets()), len(tokens))
		}
	}
	example := readPage(r.t, examplesDir+"/token-to-secret-store/main.tf")
	for _, configuration := range []string{r.take("terraform"), example} {
		r.starts(configuration)
		r.service.ResetCounts()
		r.must("plan")
		r.madeNoCall()
		wrote(0)
		r.apply()
		r.replace("main.tf", "2026-Q4", "2027-Q1")
		wrote(1)
		r.service.RotateBehind("acme")
		wrote(1)
		if r.unprotect() {
			r.apply()
		}
		r.must("destroy", "-auto-approve")
		r.wantNoFileWith(tokenPattern)
		r.has()
	}
}

// TestAccTokensInTwoRootModules checks, with examples/tokens-in-two-root-modules, that the second root module writes
// each secret when its token has changed. The first one can be planned without a valid key. No file contains a token.
func TestAccTokensInTwoRootModules(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{}, engine.EphemeralResource, engine.WriteOnly)
	store := w.bringsStores()
	w.copy(examplesDir + "/tokens-in-two-root-modules")
	root, key := w.dir, w.env
	in := func(module string, env ...string) {
		w.dir, w.env = filepath.Join(root, module), append(slices.Clone(key), env...)
	}
	in("groups")
	w.apply()
	w.service.ResetCounts()
	in("groups", "EMBED_API_KEY=not-used")
	w.says("0 to add, 2 to change, 0 to destroy",
		"plan", "-refresh=false", "-lock=false", "-input=false", "-var=quarter=2027-Q1")
	w.madeNoCall()
	for step, period := range []string{"2026-Q4", "2027-Q1"} {
		in("groups")
		w.apply("-var=quarter=" + period)
		in("secrets")
		w.apply()
		w.plansNothing()
		w.rotated("acme", step)
		written := store.secrets()
		for _, id := range []string{"acme", "initech"} {
			if group, _ := w.service.Group(id); len(written) != 2*step+2 || !slices.Contains(written[2*step:], group.Token) {
				t.Errorf("%s: the token of %s was not written, or the number of secrets, %d, is wrong", period, id, len(written))
			}
		}
	}
	w.dir = root
	w.wantNoFileWith(tokenPattern)
}
