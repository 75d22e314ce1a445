package acceptance

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

const acmeBlock = `
resource "embed_user_group" "acme" {
  user_group_id = "acme"
  name          = "Acme Ltd"
}
`

// restarts: a rotation replaces the terraform_data resource. Every engine with plantimestamp() has terraform_data.
func restarts(r *reader) {
	r.begins(acmeBlock + r.take("terraform"))
	r.service.RotateBehind("acme")
	r.says("1 to add, 0 to change, 1 to destroy", "plan")
}

// rotatesBySchedule: the first block rotates when its value changes, and the second one when another quarter begins.
func rotatesBySchedule(r *reader) {
	r.begins(r.take("terraform"))
	r.replace("main.tf", "2026-Q4", "2027-Q1")
	r.rotatesOnce("acme")

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
}

// rotatesByAge: each customer has its own number of days, between 80 and 99.
func rotatesByAge(r *reader) {
	r.begins(r.take("terraform"))
	shown := r.must("show", "planned")
	for _, id := range []string{"acme", "initech"} {
		sum := sha256.Sum256([]byte(id))
		days := 80 + int(binary.BigEndian.Uint16(sum[:]))%20
		r.quotes(fmt.Sprintf("+ rotate_token_after_days = %d", days), shown)
		r.ages(id, days-1)
		r.plansNothing()
		r.ages(id, days)
		r.rotatesOnce(id)
	}
}

// rotatesNow rotates with the trigger, then puts the number into the configuration, and finally rotates with the
// action if the engine has actions.
func rotatesNow(r *reader) {
	r.begins(r.take("terraform"))
	r.runs()
	r.rotated("acme", 1)
	r.rotated("initech", 0)
	r.write("terraform.tfvars", "incidents = { acme = 1 }\n")
	r.plansNothing()
	invokes := r.take("shell")
	if !engine.Actions.In(r.engine) {
		return
	}
	r.write("action.tf",
		"action \"embed_rotate_user_group_token\" \"acme\" {\n  config {\n    user_group_id = \"acme\"\n  }\n}\n")
	r.shell(invokes)
	r.rotated("acme", 2)
	r.plansNothing()
}

// looks finds a rotation that was made elsewhere, and changes nothing.
func looks(r *reader) {
	r.begins(acmeBlock + "output \"fingerprint\" {\n  value = embed_user_group.acme.token_fingerprint\n}\n")
	r.service.RotateBehind("acme")
	r.service.ResetCounts()
	r.quotes("fingerprint", r.runs())
	r.onlyLooked()
}

// encrypts: if the engine can encrypt state and plan, neither shows a token.
func encrypts(r *reader) {
	encryption := r.take("terraform")
	// OpenTofu introduced encryption in the same version as provider functions.
	if r.engine.Name != engine.OpenTofu || !engine.Functions.In(r.engine) {
		return
	}
	r.env = append(r.env, "TF_VAR_state_passphrase=sixteen characters")
	r.begins(acmeBlock + encryption)
	r.plansNothing()
	for _, name := range []string{"terraform.tfstate", "planned"} {
		text := r.read(name)
		if !strings.Contains(text, "encrypted_data") || strings.Contains(text, `"token"`) {
			r.t.Errorf("%s is not encrypted: %.300s", name, text)
		}
	}
}

func keepsTokenOut(r *reader) {
	r.begins(r.take("terraform"))
	r.wantNoFileWith(tokenPattern)
	r.plansNothing()
}

// writesSecret applies the block together with the example above it.
func writesSecret(r *reader) {
	engine.Needs(r.t, engine.WriteOnly)
	store := r.bringsStores()
	r.copy(examplesDir + "/ephemeral-resources/embed_user_group_token/ephemeral-resource.tf")
	r.write("secret.tf", r.take("terraform")+"\nresource \"aws_secretsmanager_secret\" \"acme\" {\n  name = \"acme\"\n}\n")
	r.init()
	r.apply()
	if acme, _ := r.service.Group("acme"); !slices.Equal(store.secrets(), []string{acme.Token}) {
		r.t.Errorf("%d secrets were written, want only the token of acme", len(store.secrets()))
	}
}

// keepsSecretCurrent goes through the rows of the table below the block, with the block and then with the example
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

// warnsOfOldSecret uses a variable instead of the data source.
func warnsOfOldSecret(r *reader) {
	_, check, _ := strings.Cut(r.take("terraform"), "\n\n")
	check = strings.ReplaceAll(check, "data.aws_secretsmanager_secret_version.acme.secret_string", "var.stored")
	r.begins(acmeBlock + check + "\nvariable \"stored\" {\n  default = \"another\"\n}\n")
	r.says("does not contain the current token", "plan")
	acme, _ := r.service.Group("acme")
	r.env = append(r.env, "TF_VAR_stored="+acme.Token)
	if out := r.must("plan"); strings.Contains(out, "does not contain") {
		r.t.Error(out)
	}
}

// TestAccTokensInTwoRootModules checks, with examples/tokens-in-two-root-modules, that the second root module writes
// each secret when its token has changed. The first one can be planned without a valid key. No file contains a token.
func TestAccTokensInTwoRootModules(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.EphemeralResource, engine.WriteOnly)
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
