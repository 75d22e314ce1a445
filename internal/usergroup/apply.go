package usergroup

import (
	"context"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Change is what an apply changes of an existing group: what an update sends, or nil, and whether the token is
// replaced.
type Change struct {
	Update  *api.GroupRequest
	Rotates bool
}

// Applied is the outcome of Apply. What was not asked for, or not begun, has neither a Group nor an error.
type Applied struct {
	Updated, Rotated       Result
	NotUpdated, NotRotated error
}

// Apply updates a group, then replaces its token, as one operation: the API key is proved once, and a group that may
// remain is named once. If nothing fails, each of the two makes one call. The token is also replaced if the update has
// failed, unless the key is not proved, or the group may be gone or another one.
//
// A rotation is carried out at most once, even if responses are lost. It is sent again only with another token, after
// the service has refused the first one. If either fails after the service has changed the group, its Result has what
// the service has returned.
func (s *Service) Apply(ctx context.Context, change Change, prior Prior) (applied Applied) {
	o := s.begin(Rotate, prior)
	failure := &applied.NotRotated
	if change.Update != nil {
		o.become(Update)
		failure = &applied.NotUpdated
	}
	exit, problem := o.enter(ctx)
	if problem != nil {
		*failure = problem
		return applied
	}
	defer exit()
	goesOn := true
	if change.Update != nil {
		o.sent = *change.Update
		applied.Updated, applied.NotUpdated = o.carryOut(ctx, func(ctx context.Context) (Result, *Problem) {
			result, p := o.proved(ctx, func(ctx context.Context) (Result, *Problem) { return o.update(ctx, prior) })
			goesOn = p == nil || !o.isUnproved() && !o.mayRemain() && !p.isAboutAnother()
			return result, p
		})
		o.named = slices.Clone(o.left)
		o.become(Rotate)
	}
	if !change.Rotates || !goesOn {
		return applied
	}
	applied.Rotated, applied.NotRotated = o.carryOut(ctx, func(ctx context.Context) (Result, *Problem) {
		return o.proved(ctx, o.rotate)
	})
	if applied.Rotated.Group != nil { // So the state has the current token.
		applied.Updated.Warnings = slices.DeleteFunc(applied.Updated.Warnings, isAboutToken)
	}
	return applied
}

// isAboutToken reports whether a warning says that an update has shown another token than the state has.
func isAboutToken(p *Problem) bool { return p.Finding == UnexpectedToken }
