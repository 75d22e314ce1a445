package provider

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// private is what the provider stores in the private state of an instance of the resource. Users do not see it, and it
// moves with the instance.
type private struct {
	// Instance distinguishes this instance from every other one with the same user_group_id.
	Instance string `json:"instance,omitzero"`
	// Previous is the fingerprint of the token that the last rotation replaced.
	Previous string `json:"previous,omitzero"`
	// Unsettled is the rotation whose outcome the last apply did not learn, or nil.
	Unsettled *unsettled `json:"unsettled,omitzero"`
	// Environment is the environment in which the group is known to be, because the API key was proved to belong to it,
	// until the state has an api_environment_tag.
	Environment string `json:"environment,omitzero"`
	// TeamID is the team_id of the group if it is a text, because the state has only room for a number.
	TeamID string `json:"team_id,omitzero"`
	// TooOld reports that the last refresh found the token older than rotate_token_after_days, and that the group has
	// not been updated since.
	TooOld bool `json:"too_old,omitzero"`
	// Imported is how far an import has come, and Run is the run whose refresh has recorded that.
	Imported importProgress `json:"imported,omitzero"`
	Run      string         `json:"run,omitzero"`
}

// unsettled is a rotation whose outcome is unknown.
type unsettled struct {
	Sent     string             `json:"sent"`              // the fingerprint of the token that was sent
	Done     bool               `json:"done,omitzero"`     // the last refresh has found another token
	Triggers map[string]*string `json:"triggers,omitzero"` // the rotate_token_when_changed that it was for
}

// importProgress says what an import means for the next plan. Until configuration and state are known to have agreed on
// the user_group_id, a replacement is most likely a mistake, which would delete what was just imported.
//
// Nothing in the protocol shows that they agree: a refresh does not know the configuration, and what a plan finds is
// stored only if it changes something. But an engine stores a refresh only if its run is applied, and no run is applied
// whose plan was refused. So a refresh that another run has stored, after that of the import itself, shows that they
// agreed then. "apply -refresh-only" is the exception, since it stores without planning.
type importProgress string

const (
	unread importProgress = "unread" // imported, but not read yet: a missing group is an error
	read   importProgress = "read"   // read once, as a part of the import
	reread importProgress = "reread" // read again, by a run that may turn out to be refused
	// unseen means that the group may have a mapping that Terraform did not set and the service does not show. This is so
	// after an import, and after a creation that has most likely created the group, until an update sends a mapping.
	unseen importProgress = "unseen"
)

// afterRefresh is what becomes of an import in a refresh by another run than the last one.
var afterRefresh = map[importProgress]importProgress{unread: read, read: reread, reread: unseen}

const privateKey = "memory"

// privateState is the private state in requests and responses of the framework.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readPrivate(ctx context.Context, state privateState, diags *diag.Diagnostics) (p private) {
	text, _ := state.GetKey(ctx, privateKey) // cannot fail with this key
	if len(text) == 0 {
		return p // A state that another tool has written has none.
	}
	if err := json.Unmarshal(text, &p); err != nil {
		diags.AddError(titleInternal, "The private state of the resource cannot be read. "+reportBug)
	}
	return p
}

// write stores what the state of the group lacks.
func (p private) write(ctx context.Context, group *userGroupModel, state privateState, diags *diag.Diagnostics) {
	if p.TeamID == group.teamID() {
		p.TeamID = ""
	}
	if !group.APIEnvironmentTag.IsNull() {
		p.Environment = ""
	}
	text, _ := json.Marshal(p) // cannot fail with these fields
	diags.Append(state.SetKey(ctx, privateKey, text)...)
}

// proved records the environment that an operation on the group has proved, if any.
func (p *private) proved(environment string) { p.Environment = cmp.Or(environment, p.Environment) }

// shown records what a creation or a lookup has shown of the group.
func (p *private) shown(group api.UserGroup) { p.TeamID = cmp.Or(group.TeamID, p.TeamID) }

// rotated records a rotation for triggers. Its result has no group if the new token is not known.
func (p *private) rotated(result usergroup.Result, err error, triggers types.Map) {
	p.proved(result.Environment)
	switch {
	case result.Group != nil:
		p.Previous = result.Previous
	case mayHaveBeenDone(err):
		p.Unsettled = &unsettled{Sent: result.Previous, Triggers: map[string]*string{}}
		for key, value := range triggers.Elements() {
			text, _ := value.(types.String)
			p.Unsettled.Triggers[key] = text.ValueStringPointer()
		}
	}
}

// settled returns the triggers of a rotation that turned out to be carried out, or nil.
func (p private) settled() map[string]attr.Value {
	if p.Unsettled == nil || !p.Unsettled.Done {
		return nil
	}
	triggers := map[string]attr.Value{}
	for key, text := range p.Unsettled.Triggers {
		triggers[key] = types.StringPointerValue(text)
	}
	return triggers
}

// isJustImported reports whether nothing has shown yet that the configuration agrees with the import.
func (p private) isJustImported() bool { return p.Imported == read || p.Imported == reread }

// refreshed records a refresh in a run that has found the group. A zero token is not known.
func (p *private) refreshed(run string, token api.Secret) {
	if next, goesOn := afterRefresh[p.Imported]; goesOn && run != p.Run {
		p.Imported, p.Run = next, run
	}
	if p.Unsettled != nil && !token.IsZero() {
		p.Unsettled.Done = p.Unsettled.Sent != token.Fingerprint()
	}
}

// updated records an update, which shows that configuration and state agree, even if it fails. sentMapping reports
// whether the service is known to have taken a mapping.
func (p *private) updated(sentMapping bool) {
	p.Run, p.Unsettled = "", nil
	if sentMapping {
		p.Imported = ""
	} else if p.Imported != "" {
		p.Imported = unseen
	}
}
