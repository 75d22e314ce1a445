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

// TestAccTokenRotation checks, with examples/token-rotation, what rotates: a quarter, the age, and a number in an
// emergency. What has to restart is replaced with the token.
func TestAccTokenRotation(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	w.copy(examplesDir + "/token-rotation")
	at := func(now string) {
		w.write("main.tf", strings.ReplaceAll(readPage(t, examplesDir+"/token-rotation/main.tf"), "plantimestamp()",
			fmt.Sprintf("%q", now)))
	}
	for i, now := range []string{
		"2025-01-01T00:00:00Z", "2025-03-31T23:59:59Z", "2025-04-01T00:00:00Z", "2025-12-31T23:59:59Z",
		"2026-01-01T00:00:00Z",
	} {
		at(now)
		w.apply()
		w.plansNothing()
		w.rotated("acme", []int{0, 0, 1, 2, 3}[i])
	}
	w.rotatesOnce("acme", `-var=incidents={"acme":1}`)
	w.rotated("initech", 3)

	// Each customer has its own number of days, between 80 and 99.
	one := `-var=incidents={"acme":1}`
	shown := w.must("show", "terraform.tfstate")
	for _, id := range []string{"acme", "initech"} {
		sum := sha256.Sum256([]byte(id))
		days := 80 + int(binary.BigEndian.Uint16(sum[:]))%20
		if said := fmt.Sprintf("rotate_token_after_days = %d", days); !strings.Contains(oneLine(shown), said) {
			t.Errorf("the state does not have %q:\n%s", said, shown)
		}
		w.ages(id, days-1)
		w.plansNothing(one)
		w.ages(id, days)
		w.rotatesOnce(id, one)
	}

	w.service.RotateBehind("acme")
	w.says("1 to add, 0 to change, 1 to destroy", "plan", one)
	w.apply(one)
	w.must("destroy", "-auto-approve")
	w.has()
}

// TestAccTokenToSecretStore creates, rotates, and meets a rotation made elsewhere, with examples/token-to-secret-store.
// The first plan makes no call, and no file contains a token.
func TestAccTokenToSecretStore(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{}, engine.EphemeralResource, engine.WriteOnly)
	store := w.bringsStores()
	var tokens []string
	wrote := func(rotations int) {
		t.Helper()
		w.apply()
		w.plansNothing()
		w.wantNoFileWith(tokenPattern)
		w.rotated("acme", rotations)
		acme, _ := w.service.Group("acme")
		if tokens = append(tokens, acme.Token); !slices.Equal(store.secrets(), tokens) {
			t.Errorf("%d secrets were written, want the %d tokens so far", len(store.secrets()), len(tokens))
		}
	}
	w.copy(examplesDir + "/token-to-secret-store")
	w.must("plan")
	w.madeNoCall()
	wrote(0)
	w.apply()
	w.replace("main.tf", "2026-Q4", "2027-Q1")
	w.must("plan", "-out=planned")
	w.showsOldToken("acme", 2) // The first lookup proves the key.
	w.fails("The service does not show the current token yet.", "apply", "planned")
	wrote(1)
	w.service.RotateBehind("acme")
	wrote(1)
	if w.unprotect() {
		w.apply()
	}
	w.must("destroy", "-auto-approve")
	w.wantNoFileWith(tokenPattern)
	w.has()
}

// showsOldToken makes one of the next lookups of the group show another token, as a replica does that lags.
func (w *workbench) showsOldToken(id string, nth int) {
	w.t.Helper()
	group, _ := w.service.Group(id)
	w.service.Fail(emulator.Fault{Method: "GET", ID: id, Nth: nth, Kind: emulator.Answer, Body: fmt.Sprintf(
		`{"success": 1, "new_user_group": false, "user_group": {"team_id": %d, "token": "old", "provided_id": %q}}`,
		group.TeamID, id)})
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
		w.showsOldToken("acme", 1)
		w.fails("The service does not show the token of the state of the groups.", "plan")
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
