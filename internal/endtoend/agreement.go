package endtoend

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// kept is what a state file has of a group.
type kept struct {
	ID          string            `json:"user_group_id"`
	Name        string            `json:"name"`
	Mapping     map[string]string `json:"mapping"`
	Properties  *string           `json:"properties"`
	Token       *string           `json:"token"`
	Fingerprint string            `json:"token_fingerprint"`
	TeamID      int64             `json:"team_id"`
	Tag         *string           `json:"api_environment_tag"`
}

// agrees says that the state of the current folder and the service have the same groups, field by field. The service
// may have others, which are to be named; "announced" are those that an error has told how to remove.
func (f *folder) agrees(neg bool, args []string) {
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
				// The next apply would destroy a customer because of it.
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

// token is what every token looks like that the service has ever handed out. The key is searched for by itself: regexp
// is fast where all that it looks for begins with the same letters.
var token = regexp.MustCompile(`ugt_[A-Z2-7]{10,}`)

// untilSecret returns how much of a text comes before a secret, or -1 where there is none.
func untilSecret(text []byte) int {
	if at := token.FindIndex(text); at != nil {
		return at[0]
	}
	return bytes.Index(text, []byte(emulator.DefaultKey))
}

// secrets says that no key and no token was printed, or is in a file. States may have tokens.
func (f *folder) secrets(neg bool, _ []string) {
	if told := f.tells(); (told != "") != neg {
		f.Fatalf("a secret is told: %t %s", !neg, told)
	}
	if neg {
		f.printed = "" // it was to be told
	}
}

// tells says where a secret is told.
func (f *folder) tells() (where string) {
	if at := untilSecret([]byte(f.printed)); at >= 0 {
		return "a secret was printed after:\n" + f.printed[max(0, at-200):at]
	}
	root := os.DirFS(f.root)
	_ = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.Contains(path, ".tfstate") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if at := untilSecret(text); at >= 0 {
			where = fmt.Sprintf("a secret is in %s after:\n%s", path, text[max(0, at-200):at])
			return fs.SkipAll
		}
		return err
	})
	return where
}
