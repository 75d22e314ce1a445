package provider

import (
	"context"
	"crypto/rand"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// memory is what the provider remembers of an instance of the resource, in its private state: nobody sees it, and it
// goes where the instance goes.
type memory struct {
	// Instance tells this instance from every other one of the same user_group_id. It is never empty but in states of
	// versions that had none.
	Instance string `json:"instance,omitzero"`
	// Retired are the fingerprints of the last tokens that were rotated away, the newest last.
	Retired []string `json:"retired,omitzero"`
	// Import is how far an import has come.
	Import importProgress `json:"import,omitzero"`
	// Unseen: the group may have a mapping, or anything else that the service does not show, that Terraform never set.
	// That is so after an import, and after the group was replaced.
	Unseen bool `json:"unseen,omitzero"`
	// TakenOver: a refresh found another group in the place of the one that was managed, and it was not updated since.
	TakenOver bool `json:"taken_over,omitzero"`
}

type importProgress int

const (
	notImported    importProgress = iota
	importedUnread                // by this run, and not read yet
	importedRead                  // and read, by this run
)

// remembered is the key in the private state.
const rememberedKey = "memory"

// keptRetired is how many retired tokens are remembered. Reads lag behind one rotation, hardly ever behind two.
const keptRetired = 5

func newInstance() string { return rand.Text() }

// privateState is what requests and responses of the framework offer.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readMemory(ctx context.Context, private privateState, diags *diag.Diagnostics) (m memory) {
	text, found := private.GetKey(ctx, rememberedKey)
	diags.Append(found...)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &m); err != nil {
			diags.AddError(titleInternal, "The private state of the resource cannot be read. "+
				"Please report it with the steps that lead here.")
		}
	}
	return m
}

func (m memory) write(ctx context.Context, private privateState, diags *diag.Diagnostics) {
	text, err := json.Marshal(m)
	if err != nil {
		diags.AddError(titleInternal, "The private state of the resource cannot be written. "+
			"Please report it with the steps that lead here.")
		return
	}
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
}

// updated notes that an update has brought the group to what was sent, if there was one.
func (m *memory) updated(told *api.UserGroup, sent api.GroupRequest) {
	if told != nil {
		m.TakenOver = false
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
