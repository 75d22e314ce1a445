package provider

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

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
	// Environment is the environment in which the group is known to be, because the API key was proved to belong to it.
	Environment string `json:"environment,omitzero"`
	// TooOld reports that the last refresh found the token older than rotate_token_after_days, and that the group has
	// not been updated since.
	TooOld bool `json:"too_old,omitzero"`
	// Imported is how far an import has come.
	Imported importProgress `json:"imported,omitzero"`
}

type importProgress string

const (
	unread importProgress = "unread" // imported, but not read yet: a missing group is an error
	read   importProgress = "read"   // read once: a replacement would delete what was just imported
	// unseen means that the group may have a mapping that Terraform did not set and the service does not show. This is so
	// after an import, and after a creation that has most likely created the group, until an update sends a mapping.
	unseen importProgress = "unseen"
)

const privateKey = "memory"

// privateState is the private state in requests and responses of the framework.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readPrivate(ctx context.Context, state privateState, diags *diag.Diagnostics) (p private) {
	text, found := state.GetKey(ctx, privateKey)
	diags.Append(found...)
	if len(text) == 0 {
		return p // A state that another tool has written has none.
	}
	if err := json.Unmarshal(text, &p); err != nil {
		diags.AddError(titleInternal, "The private state of the resource cannot be read. "+reportBug)
	}
	return p
}

func (p private) write(ctx context.Context, state privateState, diags *diag.Diagnostics) {
	text, _ := json.Marshal(p) // cannot fail with these fields
	diags.Append(state.SetKey(ctx, privateKey, text)...)
}

// proved records the environment that an operation on the group has proved, if any.
func (p *private) proved(environment string) { p.Environment = cmp.Or(environment, p.Environment) }

// rotated records a rotation. Its result has no group if the token is not known to have been rotated.
func (p *private) rotated(result usergroup.Result) {
	p.proved(result.Environment)
	if result.Group != nil {
		p.Previous = result.Previous
	}
}

// refreshed records a refresh that has found the group.
func (p *private) refreshed() {
	switch p.Imported {
	case unread:
		p.Imported = read
	case read:
		p.Imported = unseen
	}
}

// updated records an update that sent the request. done reports whether the group is known to have been updated.
func (p *private) updated(done bool, sent api.GroupRequest) {
	switch {
	case done && sent.Mapping != nil:
		p.Imported = ""
	case p.Imported != "":
		p.Imported = unseen
	}
}
