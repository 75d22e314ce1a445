package usergroup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Words in braces are filled in by Problem.fill. Each title has a heading in the troubleshooting guide.

// operationWords are about what was being done: no, maybe and yes say what became of it, and next is what to do when that
// is not known.
var operationWords = map[Operation]struct{ failed, no, maybe, yes, next string }{
	LookUp: {
		failed: "Cannot look up user group {id}",
		next:   "Run again.",
	},
	Create: {
		failed: "Cannot create user group {id}",
		no:     "The group was not created.",
		maybe:  "Whether the group was created is not known. It is not in the state.",
		yes:    "The group was created, but it is not in the state.",
		next:   "Run again. If the group was created, the next run says that it already exists, and how to go on.",
	},
	Adopt: {
		failed: "Cannot adopt user group {id}",
		no:     "The group was not changed. It is not in the state.",
		maybe:  "Whether the group was updated is not known. It is not in the state.",
		yes:    "The group was updated, but it is not in the state.",
		next:   "Run again: the next run adopts the group.",
	},
	Update: {
		failed: "Cannot update user group {id}",
		no:     "The group was not updated.",
		maybe:  "Whether the group was updated is not known.",
		yes:    "The group was updated.",
		next:   "Run again: the next plan shows what is left to update.",
	},
	Rotate: {
		failed: "Cannot rotate the token of user group {id}",
		no:     "The token was not rotated.",
		maybe:  "Whether the token was rotated is not known. The state keeps the token it has, which may no longer work.",
		yes:    "The token was rotated.",
		next: "Run again. The next refresh reads the current token. The rotation is planned again, so if it was done after all, " +
			"the token is rotated a second time.",
	},
	Delete: {
		failed: "Cannot delete user group {id}",
		no:     "The group was not deleted. It stays in the state.",
		maybe:  "Whether the group was deleted is not known. It stays in the state.",
		yes:    "The group was deleted.",
		next:   "Run again: deleting a group that is already gone succeeds.",
	},
	CheckService: {
		failed: "Cannot check the service and the API key",
		next:   "Run again.",
	},
}

// findingWords are about what was found: what it means, what was done where the facts do not say it, and what to do next.
var findingWords = map[Finding]struct{ title, means, done, next string }{
	NotFound: {
		title: "User group {id} does not exist",
		means: "The service has no group with this id.",
		next:  "Check the spelling of the id, and that the API key belongs to the right environment.",
	},
	Exists: {
		title: "User group {id} already exists",
		means: "The service already has a group with this id.",
		done:  "Nothing was changed, and the group is not in the state.",
		next: "To manage the group with Terraform, import it with an import block or `terraform import`, or set adopt_existing = true " +
			"to take it over. If another resource block has the same user_group_id, remove one of the two. If the resource is tainted " +
			"and uses create_before_destroy, run `terraform untaint`. If the group belongs to something else, choose another user_group_id.",
	},
	MayHaveExisted: {
		title: "User group {id} may have existed before",
		means: "The answer to the creation was lost. The service now has a group with this id, and nothing that it shows proves that this " +
			"run created it.{differences}",
		done: "The group that is there now was not changed. It is not in the state.",
		next: "Import the group with an import block if it is yours, or set adopt_existing = true to take it over.",
	},
	Replaced: {
		title: "User group {id} has been replaced",
		means: "The group that was expected has team_id {known.team_id}, and the service has team_id {told.team_id} under the same id. " +
			"The group was deleted and recreated elsewhere, or the API key belongs to another environment.",
		next: "Check the API key, then plan again: the plan shows the group as it is now. To stop managing it without deleting it, " +
			"run `terraform state rm`.",
	},
	AnsweredForAnother: {
		title: "The service answered about another group than {id}",
		means: "The service was asked about {asked} and answered about {answered}.",
		next: "If the service changes ids (case, spaces, length), use the id that it answers with. Otherwise check that no cache " +
			"answers in place of the service.",
	},
	AnsweredFromCache: {
		title: "A cache may have answered for user group {id}",
		means: "The service says that it has just created a group that was known before. Something between Terraform and the service, " +
			"such as a caching proxy, repeats an old answer.",
		next: "Exclude the address of the service from caching, then run again.",
	},
	AnswersDisagree: {
		title: "A cache may have answered for user group {id}",
		means: "The service first said that it had just created the group, and then showed another one under the same id. Something in " +
			"between repeats an old answer, or the group was replaced at that very moment.",
		next: "Exclude the address of the service from caching, then run again.",
	},
	MayBeLeftBehind: {
		title: "Looking up user group {id} may have created it",
		means: "The service creates every group that it is asked about, and an answer was lost.",
		next:  "Run again: a group that existed before is then found as usual.",
	},
	LeftBehind: {
		title: "User group {id} was left behind",
		next:  "An API key that may create groups but not delete them always ends here.",
	},
	NotTakenAsSent: {
		title: "User group {id} was not updated as planned",
		means: "The service accepted the update, but has something else than was sent.{differences}",
		next: "Change the configuration to what the service keeps. A service that merges properties keeps those that are no longer " +
			"sent.",
	},
	NotRotated: {
		title: "Cannot rotate the token of user group {id}",
		means: "The service reported success, but answered with the token that it was asked to replace.",
		next:  "Run again.",
	},
	MayBeAnother: {
		title: "User group {id} may be another group by now",
		means: "The service has a group with this id and another token, and does not tell whether it is still the group in the state.",
		next:  "Run again: the next plan shows the group as it is now.",
	},
	OutdatedToken: {
		title: "The service shows an outdated token of user group {id}",
		means: "The service shows a token that has already been rotated away, as it may do for a while after a rotation.",
		next:  "Run again once the service shows the current token.",
	},
	WrongEnvironment: {
		title: "User group {id} is in another environment",
		means: "The group should be in the environment {known.environment}, and is in {told.environment}.",
		next: "Check that the API key and the provider's environment are those of the group. To stop managing the group without deleting it, " +
			"run `terraform state rm`.",
	},
	WrongKey: {
		title: "The API key belongs to another environment",
		means: "The provider's environment is {known.environment}. A group that was created with this API key to find out was in " +
			"{told.environment}.",
		next: "Use an API key of the environment {known.environment}, or change the provider's environment.",
	},
	NoEnvironment: {
		title: "The environment of the API key is not known",
		means: "The provider's environment is {known.environment}. A group that was created with this API key to find out shows no environment.",
		next:  "Remove environment from the provider block. Nothing then guards against an API key of the wrong environment.",
	},
	Adopted: {
		title: "User group {id} was adopted",
		means: "The group already existed, and adopt_existing is true.",
		done:  "It was updated to this configuration and keeps its token.",
		next:  "From now on, destroying this resource deletes the group.",
	},
	Claimed: {
		title: "User group {id} is taken for the one just created",
		means: "The answer to the creation was lost. The service now has a group with this id that shows what was sent, so this run has most " +
			"likely created it.",
		done: "The group is in the state.",
		next: "If you know that the group existed before, run `terraform state rm` rather than destroying it.",
	},
	Recreated: {
		title: "User group {id} was recreated",
		means: "This run deleted the group and then created it.",
		done:  "It is a new group: token and team_id are new, and what this configuration does not set is gone.",
		next:  "If the resource was to move to another address, use a moved block the next time.",
	},
	Kept: {
		title: "User group {id} was kept",
		means: "This run created the group, or took it over, for another instance of the resource, which manages it now.",
		done:  "The group was not deleted.",
		next:  "To move a resource to another address, use a moved block.",
	},
	AnotherRemains: {
		title: "Another user group has the id {id}",
		means: "The group in the state, with team_id {known.team_id}, is gone. Another group, with team_id {told.team_id}, has its id.",
		done:  "The other group was not touched.",
	},
	TokenChanged: {
		title: "The token of user group {id} was rotated elsewhere",
		means: "The answer to the update shows another token than the state has.",
		done:  "The group was updated. The state gets the new token with the next refresh.",
	},
	OtherSpelling: {
		title: "The service spells the id {id} differently",
		means: "The service was asked about {asked} and answered about {answered}. By its team_id it is the same group.",
		done:  "The answer was used.",
		next:  "Use the id that the service answers with as user_group_id in new configurations.",
	},
	RunEnded: {
		title: "User group {id} was left unchanged",
		means: "This run has ended for all groups. The reason is given under: {cause}.",
	},
}

// Title says in one line what is wrong.
func (p *Problem) Title() string {
	return p.fill(cmp.Or(findingWords[p.Finding].title, operationWords[p.subject().Operation].failed))
}

// subject is the problem that the title and the explanation are about: the check of the environment rather than the
// operation that had to wait for it.
func (p *Problem) subject() *Problem {
	if p.Cause != nil && p.Cause.Operation == CheckService {
		return p.Cause
	}
	return p
}

// Detail says what the service answered and what that means, what was and was not done, and what to do next: a paragraph
// each.
func (p *Problem) Detail() string {
	found := findingWords[p.Finding]
	return join("\n\n",
		join(" ", p.said(), p.fill(found.means)),
		cmp.Or(found.done, p.done()),
		join(" ", p.fill(found.next), p.next()),
	)
}

// join leaves out what is empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// said is what the service answered.
func (p *Problem) said() string {
	var said string
	if p.Call != nil {
		answer := cmp.Or(p.Call.Said(), "no reason is known")
		said = strings.ToUpper(answer[:1]) + answer[1:] + "."
		if p.Call.Lost && p.Call.Kind != api.UnknownOutcome {
			said += " An earlier attempt of the same call got no usable answer."
		}
	}
	if p.Cause != nil && p.Cause.Call != nil && p.Finding != RunEnded {
		look := "Looking the group up to find out failed as well: "
		if p.Cause.Operation == CheckService {
			look = "The service and the API key are checked first, and that failed: "
		} else if said == "" {
			look = "The group has to be looked up first, and that failed: "
		}
		said = join(" ", said, look+p.Cause.Call.Said()+".")
	}
	return said
}

// done says what was and was not done, and how to remove what was left behind.
func (p *Problem) done() string {
	words := operationWords[p.Operation]
	said := map[Happened]string{No: words.no, Maybe: words.maybe, Yes: words.yes}[p.Done]
	if p.Operation == Rotate && p.Done == Yes {
		said = join(" ", said, map[bool]string{true: "The next refresh reads the new token.", false: "The state has the new token."}[p.Told.Token.IsZero()])
	}
	left, removal := p.placeholder("lookup")
	if check := p.subject(); check != p {
		leftByCheck, checkRemoval := check.placeholder("check")
		left, removal = join(" ", left, leftByCheck), join("\n\n", removal, checkRemoval)
	}
	return join("\n\n", cmp.Or(join(" ", said, left), "Nothing was changed."), removal)
}

// placeholder says what became of the empty group that a lookup, or the check of the service, has made, and by which
// command it can be removed.
func (p *Problem) placeholder(maker string) (said, removal string) {
	switch {
	case p.Operation != CheckService && slices.Contains([]Finding{AnsweredFromCache, AnswersDisagree, AnsweredForAnother}, p.Finding):
		// The id may be that of a customer's group: no advice to delete it.
		return "Nothing was deleted. The " + maker + " may have created an empty group.", ""
	case p.Placeholder == PlaceholderLeft:
		return "The " + maker + " created an empty group, which may still be at the service. To remove it, run this:", removalCommand(p.ID)
	case p.Placeholder == PlaceholderRemoved && p.LookupLost:
		return "The " + maker + " created an empty group and removed it again. An earlier attempt was lost: if the service still carries it " +
			"out, an empty group appears. To remove that one, run this:", removalCommand(p.ID)
	case p.Placeholder == PlaceholderRemoved:
		return "The " + maker + " created an empty group, as it does for every missing id, and removed it again.", ""
	case p.LookupLost:
		return "If the group did not exist before, the " + maker + " may have created an empty one. To remove that one, run this:", removalCommand(p.ID)
	default:
		return "", ""
	}
}

// next says what to check or change after a failed call.
func (p *Problem) next() string {
	call := p.Call
	if p.Cause != nil && p.Cause.Call != nil {
		call = p.Cause.Call
	}
	if call == nil || p.Finding != CallFailed && p.Finding != LeftBehind {
		return ""
	}
	if call.Hint != "" && call.Kind != api.UnknownOutcome && call.Kind != api.Incomplete {
		return call.Hint
	}
	switch call.Kind {
	case api.Unauthorized:
		if call == p.Call && (p.Operation == Rotate || p.Operation == Delete) {
			return "A lookup shows that the token is right, so the API key (api_key, EMBED_API_KEY) may not be allowed to do this."
		}
		return "Check api_key (EMBED_API_KEY): the key is wrong, has expired, or is not allowed to do this."
	case api.Throttled:
		return "The service limits how fast it may be called: lower -parallelism or set requests_per_second, then run again."
	case api.Refused:
		return "Resolve what the service objects to, then run again."
	case api.NotSent:
		if errors.Is(call, context.Canceled) {
			return "Run again when you are ready."
		}
		return "Check base_url (EMBED_BASE_URL), the network, and the proxy settings, then run again."
	case api.Redirected:
		return "Set base_url (EMBED_BASE_URL) to the address that the service really has."
	case api.Cached:
		return findingWords[AnsweredFromCache].next
	default:
		return join(" ", call.Hint, operationWords[p.Operation].next)
	}
}

// fill fills in the words in braces. What differs only in Unicode form is escaped, so that it can be told apart.
func (p *Problem) fill(words string) string {
	subject, cause := p.subject(), ""
	if p.Cause != nil {
		cause = p.Cause.Title()
	}
	id := p.ID
	if p.Finding == LeftBehind {
		id = subject.ID
	}
	return strings.NewReplacer(
		"{id}", strconv.Quote(id),
		"{asked}", strconv.QuoteToASCII(p.ID),
		"{answered}", strconv.QuoteToASCII(orNone(p.Told.ProvidedID)),
		"{known.team_id}", orUnknown(subject.Known.TeamID),
		"{told.team_id}", orUnknown(subject.Told.TeamID),
		"{known.environment}", strconv.Quote(orNone(subject.Known.EnvironmentTag)),
		"{told.environment}", strconv.Quote(orNone(subject.Told.EnvironmentTag)),
		"{differences}", p.differences(),
		"{cause}", cause,
	).Replace(words)
}

func orNone(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orUnknown(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return strconv.FormatInt(*n, 10)
}

// differences names what the service has otherwise than it was sent: properties by their top-level keys, never by value.
func (p *Problem) differences() string {
	differ := compare(p.Sent, p.Told)
	said := ""
	if differ.name {
		said = fmt.Sprintf(" The service was sent the name %s and has %s.", strconv.QuoteToASCII(*p.Sent.Name), strconv.QuoteToASCII(*p.Told.Name))
	}
	for _, part := range []struct {
		keys []string
		what string
	}{
		{differ.remained, "still has these properties, which were not sent"},
		{differ.changed, "has other values for these properties"},
		{differ.missing, "does not have these properties"},
	} {
		if len(part.keys) > 0 {
			said += " The service " + part.what + ": " + quotedList(part.keys) + "."
		}
	}
	return said
}

func quotedList(keys []string) string {
	const enough = 20
	list := fmt.Sprintf("%+q", keys[:min(len(keys), enough)])
	list = strings.ReplaceAll(strings.Trim(list, "[]"), `" "`, `", "`)
	if len(keys) > enough {
		list += fmt.Sprintf(" and %d more", len(keys)-enough)
	}
	return list
}

// removalCommand is what a person can paste to remove a group that no state knows of.
func removalCommand(id string) string {
	body, _ := json.Marshal(map[string]string{"user_group_id": id})
	quoted := "'" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
	return `  curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" ` +
		"-H 'Content-Type: application/json' -d " + quoted
}
