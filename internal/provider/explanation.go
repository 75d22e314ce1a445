package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/unicode/norm"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// explanation puts a Problem into words.
type explanation struct{ *usergroup.Problem }

// title returns the line that summarizes the problem.
func (p explanation) title() string {
	id := p.ID
	if p.Finding == usergroup.LeftBehind {
		id = p.subject().ID
	}
	title := findingWords[p.Finding].title
	if p.Finding == usergroup.RunEnded && !p.ChangedNothing() {
		title = operationWords[p.Operation].failed
	}
	return titleFor(cmp.Or(title, operationWords[p.subject().Operation].failed), id)
}

// subject returns the problem that the title and the explanation are about. If the check of the service prevented the
// operation, this is the problem that the check found.
func (p explanation) subject() explanation {
	if p.Cause != nil && p.Cause.Operation == usergroup.CheckService {
		return explanation{p.Cause}
	}
	return p
}

// detail returns three parts, separated by blank lines: what the service responded and what that means, what was and
// was not done, and what to do next.
func (p explanation) detail() string {
	found := findingWords[p.Finding]
	if p.ChangedNothing() {
		return p.fill(found.means) // One line is enough for each of four hundred groups.
	}
	return join("\n\n",
		join(" ", p.said(), p.fill(found.means)),
		cmp.Or(found.done, p.done()),
		join(" ", p.fill(found.next), p.next()),
	)
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// said describes the failed call and, if there is one, the failed lookup or check that belongs to it.
func (p explanation) said() string {
	var said string
	if p.Call != nil {
		said = capitalized(cmp.Or(p.Call.Said(), "no reason is known")) + "."
		if p.Call.AfterLostAttempt && p.Call.Kind != api.UnknownOutcome {
			said += " An earlier attempt of the same call got no usable response."
		}
	}
	if p.Cause != nil && p.Cause.Call != nil && p.Finding != usergroup.RunEnded {
		look := "Looking the group up to find out failed as well: "
		if p.Cause.Operation == usergroup.CheckService {
			look = "The service and the API key are checked first, and that failed: "
		} else if said == "" {
			look = "The group has to be looked up first, and that failed: "
		}
		said = join(" ", said, look+p.Cause.Call.Said()+".")
	}
	return said
}

// done returns what was and was not done, and how to remove a placeholder that may have been left behind.
func (p explanation) done() string {
	words := operationWords[p.Operation]
	said := map[usergroup.Happened]string{
		usergroup.No: words.no, usergroup.Maybe: words.maybe, usergroup.Yes: words.yes,
	}[p.Done]
	if p.Operation == usergroup.Rotate && p.Done == usergroup.Yes {
		where := "The state has the new token."
		if p.Response.Token.IsZero() {
			where = "The next refresh reads the new token."
		}
		said = join(" ", said, where)
	}
	left, removal := p.placeholder("lookup")
	done := join("\n\n", join(" ", said, left), removal)
	if check := p.subject(); check.Problem != p.Problem && p.Finding != usergroup.RunEnded {
		left, removal := check.placeholder("check")
		done = join("\n\n", done, left, removal)
	}
	return cmp.Or(done, "Nothing was changed.")
}

// placeholder returns what became of the empty group that maker, which is "lookup" or "check", created. removal is
// the command that removes the group, or empty if there is none to suggest.
func (p explanation) placeholder(maker string) (said, removal string) {
	notOurs := []usergroup.Finding{
		usergroup.AnsweredFromCache, usergroup.AnswersDisagree, usergroup.AnsweredForAnother,
	}
	switch {
	case p.Operation != usergroup.CheckService && slices.Contains(notOurs, p.Finding):
		// The ID may belong to a customer's group, so the message does not suggest deleting it.
		return "Nothing was deleted. The " + maker + " may have created an empty group.", ""
	case p.Placeholder == usergroup.PlaceholderLeft:
		return "The " + maker + " created an empty group, which may still be at the service. " +
			"To remove it, run:", removalCommand(p.ID)
	case p.Placeholder == usergroup.PlaceholderRemoved && p.LookupUncertain:
		return "The " + maker + " created an empty group and removed it again. An earlier attempt was lost. " +
			"If the service still carries it out, an empty group appears. To remove it, run:", removalCommand(p.ID)
	case p.Placeholder == usergroup.PlaceholderRemoved && p.Operation == usergroup.CheckService:
		return "The check created a group of its own and removed it again.", ""
	case p.Placeholder == usergroup.PlaceholderRemoved:
		return "The lookup created an empty group, as it does for every missing ID, and removed it again.", ""
	case p.LookupUncertain && p.existedBefore():
		// A command would delete a live customer in most cases.
		return "If the group was deleted elsewhere in the meantime, the " + maker + " may have created an empty one. " +
			"The next plan shows that.", ""
	case p.LookupUncertain:
		return "If the group did not exist before, the " + maker + " may have created an empty one. " +
			"To remove it, run:", removalCommand(p.ID)
	default:
		return "", ""
	}
}

// existedBefore reports whether the state shows that the group has existed.
func (p explanation) existedBefore() bool {
	return p.Known.TeamID != nil || p.Known.Fingerprint != "" || !p.Known.Token.IsZero()
}

// next returns what to check or change after a failed call, or an empty string if the finding does not need it.
func (p explanation) next() string {
	call := p.Call
	if p.Cause != nil && p.Cause.Call != nil {
		call = p.Cause.Call
	}
	if call == nil || p.Finding != usergroup.CallFailed && p.Finding != usergroup.LeftBehind {
		return ""
	}
	advice := strings.ReplaceAll(obstacleWords[call.Obstacle], "{method}", call.Method)
	switch {
	case call.Kind == api.UnknownOutcome || call.Kind == api.Incomplete:
		return join(" ", advice, operationWords[p.Operation].next)
	case advice != "":
		return advice
	case call.Kind == api.Unauthorized && call == p.Call &&
		(p.Operation == usergroup.Rotate || p.Operation == usergroup.Delete):
		return keyMayNotDoThis
	case errors.Is(call, context.Canceled):
		return runAgain
	default:
		return kindWords[call.Kind]
	}
}

// fill replaces the names in braces with their values.
func (p explanation) fill(words string) string {
	subject, cause := p.subject(), ""
	if p.Cause != nil {
		cause = explanation{p.Cause}.title()
	}
	asked, answered := quoteApart(p.ID, orNone(p.Response.ProvidedID))
	return strings.NewReplacer(
		"{asked}", asked,
		"{answered}", answered,
		"{known.team_id}", orUnknown(subject.Known.TeamID),
		"{response.team_id}", orUnknown(subject.Response.TeamID),
		"{known.environment}", strconv.Quote(orNone(subject.Known.EnvironmentTag)),
		"{response.environment}", strconv.Quote(orNone(subject.Response.EnvironmentTag)),
		"{differences}", p.differences(),
		"{cause}", cause,
	).Replace(words)
}

// quoteApart quotes two texts. It escapes both to ASCII if they differ only in their Unicode normalization, since
// they would look the same.
func quoteApart(a, b string) (string, string) {
	if a != b && norm.NFC.String(a) == norm.NFC.String(b) {
		return strconv.QuoteToASCII(a), strconv.QuoteToASCII(b)
	}
	return strconv.Quote(a), strconv.Quote(b)
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

// differences describes where the group at the service differs from what was sent. It names the top-level keys of
// properties, but no values.
func (p explanation) differences() string {
	differ := p.Sent.Differences(p.Response)
	said := ""
	if differ.Name {
		sent, shown := quoteApart(*p.Sent.Name, *p.Response.Name)
		said = fmt.Sprintf(" The service was sent the name %s and has %s.", sent, shown)
	}
	for _, part := range []struct {
		keys []string
		what string
	}{
		{differ.Remained, "still has these properties, which were not sent"},
		{differ.Changed, "has other values for these properties"},
		{differ.Missing, "does not have these properties"},
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

// removalCommand returns a shell command that deletes a group that is in no state.
func removalCommand(id string) string {
	body, _ := json.Marshal(map[string]string{"user_group_id": id})
	quoted := "'" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
	return `  curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" ` +
		"-H 'Content-Type: application/json' -d " + quoted
}
