package endtoend

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// kept is a user group as recorded in a state file.
type kept struct {
	ID          string            `json:"user_group_id"`
	Name        string            `json:"name"`
	Mapping     map[string]string `json:"mapping"`
	Properties  *string           `json:"properties"`
	Token       *string           `json:"token"`
	Fingerprint string            `json:"token_fingerprint"`
	Rotated     *string           `json:"token_rotated_at"`
	TeamID      int64             `json:"team_id"`
	Tag         *string           `json:"api_environment_tag"`
}

// agrees fails the script unless the state in the current directory and the service have the same groups, field by
// field. Groups that are given as arguments must not be in the state, and may exist at the service. With
// "announced", so may groups for which an engine has printed how to remove them. With neg, agrees fails unless there
// is a difference.
func (f *fixture) agrees(neg bool, args []string) {
	var state struct {
		Resources []struct {
			Mode, Type string
			Instances  []struct {
				Status, Deposed string
				Attributes      kept
			}
		}
	}
	if text, err := os.ReadFile(f.MkAbs("terraform.tfstate")); err == nil {
		f.Check(json.Unmarshal(text, &state))
	}
	var wrong []string
	known := map[string]bool{}
	for _, resource := range state.Resources {
		if resource.Mode != "managed" || resource.Type != "embed_user_group" {
			continue
		}
		for _, instance := range resource.Instances {
			here := instance.Attributes
			there, exists := f.service.Group(here.ID)
			switch {
			case instance.Status != "" || instance.Deposed != "":
				// The next apply would destroy the group of a customer.
				wrong = append(wrong, here.ID+" is tainted or deposed")
			case known[here.ID] || slices.Contains(args, here.ID):
				wrong = append(wrong, here.ID+" is in the state once too often")
			case !exists:
				wrong = append(wrong, here.ID+" is in the state, and not at the service")
			default:
				wrong = append(wrong, here.differences(there)...)
			}
			known[here.ID] = true
		}
	}
	for _, there := range f.service.Groups() {
		removal := `{"user_group_id":"` + there.ID + `"}`
		announced := slices.Contains(args, "announced") && strings.Contains(f.printed, removal)
		if !known[there.ID] && !slices.Contains(args, there.ID) && !announced {
			wrong = append(wrong, there.ID+" is at the service, and not in the state")
		}
	}
	if (len(wrong) > 0) != neg {
		f.Fatalf("differences: %d\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
}

func (k kept) differences(there emulator.Group) (found []string) {
	sum := sha256.Sum256([]byte(there.Token))
	for field, same := range map[string]bool{
		"token":               k.Token == nil || *k.Token == there.Token,
		"token_fingerprint":   k.Fingerprint == hex.EncodeToString(sum[:6]),
		"token_rotated_at":    k.Rotated == nil || isPast(*k.Rotated),
		"team_id":             k.TeamID == there.TeamID,
		"name":                k.Name == there.Name,
		"mapping":             k.Mapping == nil || maps.Equal(k.Mapping, there.Mapping),
		"properties":          k.Properties == nil || *k.Properties == string(there.Properties),
		"api_environment_tag": k.Tag == nil || *k.Tag == there.Environment,
	} {
		if !same {
			found = append(found, fmt.Sprintf("%s: the state has another %s than the service", k.ID, field))
		}
	}
	return found
}

// isPast reports whether the text is a time in the past in the format of token_rotated_at.
func isPast(text string) bool {
	at, err := time.Parse("2006-01-02T15:04:05Z", text)
	return err == nil && !at.After(time.Now())
}

// token matches every token that the service issues.
var token = regexp.MustCompile(`ugt_[A-Z2-7]{10,}`)

// untilSecret returns the index of the API key or, unless tokens are allowed, of a token in the text, or -1 if there
// is none. It looks for the key separately, because a regexp is fast only if all matches begin with the same letters.
func untilSecret(text []byte, allowTokens bool) int {
	if at := token.FindIndex(text); at != nil && !allowTokens {
		return at[0]
	}
	return bytes.Index(text, []byte(emulator.DefaultKey))
}

// secrets fails the script if a key or a token was printed or is in a file. State and plan files may contain tokens.
// With neg, it fails unless there is such a secret.
func (f *fixture) secrets(neg bool, _ []string) {
	leak, err := f.leak()
	f.Check(err)
	if (leak != "") != neg {
		f.Fatalf("a secret was printed or written to a file: %t %s", !neg, leak)
	}
	if neg {
		f.printed = "" // intended, so later checks must not find it
	}
}

// leak returns where a secret was printed or is in a file, with some of the text before it, or "" if there is none.
func (f *fixture) leak() (where string, err error) {
	if at := untilSecret([]byte(f.printed), false); at >= 0 {
		return "a secret was printed after:\n" + f.printed[max(0, at-200):at], nil
	}
	err = engine.Files(f.root, func(path string, text []byte, isPlan bool) {
		if at := untilSecret(text, isPlan || strings.Contains(path, ".tfstate")); at >= 0 {
			where = fmt.Sprintf("a secret is in %s after:\n%s", path, text[max(0, at-200):at])
		}
	})
	return where, err
}
