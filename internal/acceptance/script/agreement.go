package script

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// agrees fails the script unless the state in the current directory and the service have the same groups, field by
// field. Groups that are given as arguments must not be in the state, and may exist at the service. With "announced",
// so may groups of which an engine has printed that they may remain. With neg, it fails unless there is a difference.
func (f *fixture) agrees(neg bool, args []string) {
	wrong, known := f.wrongInState(args)
	printed := strings.Join(strings.Fields(f.printed), " ")
	for _, there := range f.service.Groups() {
		announced := slices.Contains(args, "announced") &&
			regexp.MustCompile(`"`+there.ID+`",? may (remain|have created it)`).MatchString(printed)
		if !announced && !known[there.ID] && !slices.Contains(args, there.ID) {
			wrong = append(wrong, there.ID+" is at the service, and not in the state")
		}
	}
	if (len(wrong) > 0) != neg {
		f.Fatalf("differences: %d\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
}

// stateFile is what a state says about resources.
type stateFile struct {
	Resources []struct {
		Mode, Type string
		Instances  []instance
	}
}

// instance is a resource of the state.
type instance struct {
	Status, Deposed string
	Attributes      map[string]any
}

// wrongInState returns how the groups in the state differ from those at the service, and which groups are in the state.
// The excluded ones must not be.
func (f *fixture) wrongInState(excluded []string) (wrong []string, known map[string]bool) {
	var state stateFile
	// An engine that dies may leave an empty file, which it takes for no state.
	if text, err := os.ReadFile(f.MkAbs("terraform.tfstate")); err == nil && len(text) > 0 {
		f.Check(json.Unmarshal(text, &state))
	}
	known = map[string]bool{}
	for _, resource := range state.Resources {
		if resource.Mode != "managed" || resource.Type != "embed_user_group" {
			continue
		}
		for _, here := range resource.Instances {
			id := fmt.Sprint(here.Attributes["user_group_id"])
			there, exists := f.service.Group(id)
			switch {
			case here.Status != "" || here.Deposed != "":
				// The next apply would destroy the group of a customer.
				wrong = append(wrong, id+" is tainted or deposed")
			case known[id] || slices.Contains(excluded, id):
				wrong = append(wrong, id+" is in the state once too often")
			case !exists:
				wrong = append(wrong, id+" is in the state, and not at the service")
			}
			wrong = append(wrong, differences(here.Attributes, there)...)
			known[id] = true
		}
	}
	return wrong, known
}

// differences compares the attributes of a group in the state with the group at the service. Some can be null.
func differences(here map[string]any, there emulator.Group) (found []string) {
	sum := sha256.Sum256([]byte(there.Token))
	for field, want := range map[string]any{
		"token_fingerprint": hex.EncodeToString(sum[:6]), "team_id": there.TeamID, "name": there.Name,
		"token": there.Token, "mapping": there.Mapping, "properties": string(there.Properties),
		"api_environment_tag": there.Environment,
	} {
		mayBeNull := !slices.Contains([]string{"token_fingerprint", "team_id", "name"}, field)
		if got := here[field]; fmt.Sprint(got) != fmt.Sprint(want) && (got != nil || !mayBeNull) {
			found = append(found, fmt.Sprintf("%s: the state has another %s than the service", there.ID, field))
		}
	}
	return found
}

// token matches every token that the service issues.
var token = regexp.MustCompile(`ugt_[A-Z2-7]{10,}`)

// secrets fails the script if a key or a token was printed or is in a file. With neg, it fails unless there is one.
func (f *fixture) secrets(neg bool, _ []string) {
	if leak := f.leak(); (leak != nil) != neg {
		f.Fatalf("a secret was printed or written to a file: %t %v", !neg, leak)
	}
	if neg {
		f.printed = "" // intended, so later checks must not find it
	}
}

// leak returns an error if a secret was printed or is in a file. State and plan files may contain tokens.
func (f *fixture) leak() (leak error) {
	see := func(where string, text []byte, mayHaveTokens bool) {
		// A regexp is fast only if all matches begin with the same letters, so the key is not a part of it.
		at := bytes.Index(text, []byte(emulator.DefaultKey))
		if first := token.FindIndex(text); first != nil && !mayHaveTokens && !strings.Contains(where, ".tfstate") {
			at = first[0]
		}
		if at >= 0 {
			leak = fmt.Errorf("there is a secret in %s after:\n%s", where, text[max(0, at-200):at])
		}
	}
	see("the output", []byte(f.printed), false)
	return errors.Join(engine.Files(f.root, see), leak)
}
