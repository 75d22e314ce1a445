package usergroup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Problem is an error or a warning that a person can act on.
type Problem struct {
	// Title is one of the title constants with the id of the group filled in.
	Title string
	// Detail says what the service said, what that means, what was and was not done, and what to do next.
	Detail string

	cause error
}

// Error implements error.
func (p *Problem) Error() string { return p.Title + ": " + p.Detail }

// Unwrap returns what caused the problem, if anything did.
func (p *Problem) Unwrap() error { return p.cause }

// ErrNotFound is what errors.Is finds in the error of a lookup that proved that there is no such group, and left none.
var ErrNotFound = errors.New("user group not found")

// Every title a person can meet; each has a heading of its own in the troubleshooting guide. %q is the user group id.
const (
	titleAdopted             = "User group %q was adopted"
	titleAdoptFailed         = "Cannot adopt user group %q"
	titleAnsweredForAnother  = "The service answered about another group than %q"
	titleClaimedAfterLost    = "User group %q exists after a lost answer and is taken for ours"
	titleContradictsLost     = "User group %q may have existed before"
	titleCreateFailed        = "Cannot create user group %q"
	titleDeleteFailed        = "Cannot delete user group %q"
	titleExists              = "User group %q already exists"
	titleKept                = "User group %q was kept"
	titleLeftBehind          = "User group %q was left behind"
	titleLookupFailed        = "Cannot look up user group %q"
	titleMayBeLeftBehind     = "Looking up user group %q may have created it"
	titleNotFound            = "User group %q does not exist"
	titleNotUpdatedAsPlanned = "User group %q was not updated as planned"
	titleReplaced            = "User group %q has been replaced"
	titleRotateFailed        = "Cannot rotate the token of user group %q"
	titleTokenChanged        = "The token of user group %q has changed elsewhere"
	titleUpdateFailed        = "Cannot update user group %q"
	titleWrongEnvironment    = "User group %q is in another environment"
)

func problem(title, id string, cause error, sentences ...string) *Problem {
	return &Problem{Title: fmt.Sprintf(title, id), Detail: strings.Join(sentences, " "), cause: cause}
}

// failed builds the problem of a call that failed. The sentences say what that means for the operation.
func failed(title, id string, err error, sentences ...string) *Problem {
	var callErr *api.Error
	if !errors.As(err, &callErr) {
		// A problem of another operation, whose text ends as every problem's does.
		return problem(title, id, err, append([]string{capitalised(err.Error())}, sentences...)...)
	}
	all := []string{capitalised(callErr.Said()) + "."}
	if callErr.Lost && callErr.Kind != api.UnknownOutcome {
		all = append(all, "An earlier attempt of the same call got no usable answer.")
	}
	all = append(all, sentences...)
	return problem(title, id, err, append(all, advice(callErr)...)...)
}

// advice says what to check or change, by the kind of the failure.
func advice(err *api.Error) []string {
	switch err.Kind {
	case api.Unauthorised:
		return []string{"Check api_key (EMBED_API_KEY): the key is wrong, has expired, or may not do this."}
	case api.Throttled:
		return []string{"The service limits how fast it may be called: lower -parallelism, set requests_per_second, or raise max_retries and retry_wait_max, then run again."}
	case api.Refused:
		return []string{"Settle what the service objects to, then run again."}
	case api.NotSent:
		if errors.Is(err, context.Canceled) {
			return []string{"Run again when it suits."}
		}
		return []string{"Check base_url (EMBED_BASE_URL), the network and the proxy settings, then run again."}
	case api.UnknownOutcome:
		if err.MayHaveHappened() {
			return nil
		}
		return []string{"Run again once the service answers in full."}
	case api.Redirected:
		return []string{"Set base_url (EMBED_BASE_URL) to the address that the service really has."}
	default:
		return nil
	}
}

func mayHaveHappened(err error) bool {
	var callErr *api.Error
	return errors.As(err, &callErr) && callErr.MayHaveHappened()
}

func capitalised(sentence string) string {
	if sentence == "" {
		return "No reason is known"
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// removalCommand is what a person can paste to remove a group that no state knows of.
func removalCommand(id string) string {
	body, _ := json.Marshal(map[string]string{"user_group_id": id})
	quoted := "'" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
	return "\n\n  curl -X DELETE \"$EMBED_BASE_URL/api/user\" -H \"Authorization: Token $EMBED_API_KEY\" " +
		"-H 'Content-Type: application/json' -d " + quoted + "\n\n"
}
