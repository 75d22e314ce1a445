package provider

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// memory is what the provider stores in the private state of an instance of the resource. Users do not see it, and it
// moves with the instance.
type memory struct {
	// Instance distinguishes this instance from every other one with the same user_group_id. It is empty only in states
	// that were last written by a version of the provider without this field.
	Instance string `json:"instance,omitzero"`
	// Retired are the fingerprints of the tokens that the last rotations replaced, the newest last.
	Retired []string `json:"retired,omitzero"`
	// Import is the progress of an import.
	Import importProgress `json:"import,omitzero"`
	// Unseen reports that the group may have a mapping, or other settings that the service does not show, that Terraform
	// did not set. This is the case after an import, after the group was replaced, and after a creation that has most
	// likely created the group, until an update sends a mapping. A refresh forgets the mapping in the state.
	Unseen bool `json:"unseen,omitzero"`
	// TakenOver reports that a refresh found another group in place of the managed one, and that this other group has
	// not been updated since.
	TakenOver bool `json:"taken_over,omitzero"`
	// TakenOverEmpty reports that the last refresh found the other group empty.
	TakenOverEmpty bool `json:"taken_over_empty,omitzero"`
	// TooOld reports that the last refresh found the token older than rotate_token_after_days, and that the group has
	// not been updated since.
	TooOld bool `json:"too_old,omitzero"`
}

type importProgress int

const (
	notImported    importProgress = iota
	importedUnread                // imported, but not read yet
	importedRead                  // read once since the import
)

// rememberedKey is the key of the memory in the private state.
const rememberedKey = "memory"

// keptRetired is the maximum length of memory.Retired. A read may lag behind one rotation, but hardly ever behind
// two.
const keptRetired = 5

func newInstance() string { return rand.Text() }

// privateState is the private state in requests and responses of the framework.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readMemory(ctx context.Context, private privateState, diags *diag.Diagnostics) (m memory) {
	text, found := private.GetKey(ctx, rememberedKey)
	diags.Append(found...)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &m); err != nil {
			diags.AddError(titleInternal, "The private state of the resource cannot be read. "+reportBug)
		}
	}
	return m
}

func (m memory) write(ctx context.Context, private privateState, diags *diag.Diagnostics) {
	text, _ := json.Marshal(m) // cannot fail with these fields
	diags.Append(private.SetKey(ctx, rememberedKey, text)...)
}

func (m *memory) refreshed(found usergroup.Found) {
	if m.Instance == "" {
		m.Instance = newInstance()
	}
	if m.Import > notImported {
		m.Import = (m.Import + 1) % (importedRead + 1)
	}
	if found.Replaced {
		m.Unseen, m.TakenOver = true, true
	}
	m.TakenOverEmpty = m.TakenOver && found.Empty
	if !found.Outdated { // A retired token that the service shows is current again.
		current := found.Token.Fingerprint()
		m.Retired = slices.DeleteFunc(m.Retired, func(retired string) bool { return retired == current })
	}
}

// updated records an update that sent the request. response is nil unless the group is known to have been updated.
func (m *memory) updated(response *api.UserGroup, sent api.GroupRequest) {
	if response != nil {
		m.TakenOver, m.TakenOverEmpty = false, false
		m.Unseen = m.Unseen && sent.Mapping == nil
	}
	m.Import = notImported
}

func (m *memory) rotated(retired string) {
	if retired == "" {
		return
	}
	m.Retired = append(m.Retired, retired)
	m.Retired = m.Retired[max(0, len(m.Retired)-keptRetired):]
}
