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
	if p.Finding != usergroup.RunEnded {
		return titleFor(cmp.Or(findingWords[p.Finding].title, operationWords[p.subject().Operation].failed), p.subject().ID)
	}
	title := findingWords[usergroup.RunEnded].title
	if !p.ChangedNothing() || p.Operation == usergroup.Rotate { // An update beside the rotation may have been carried out.
		title = operationWords[p.Operation].failed
	}
	return titleFor(title, p.ID)
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
	words := p.words()
	if p.ChangedNothing() {
		return p.fill(words.means) // One line is enough for each of four hundred groups.
	}
	return join("\n\n",
		join(" ", p.said(), p.fill(words.means)),
		p.done(p.fill(words.done)),
		join(" ", p.fill(words.next), p.next()),
	)
}

// words returns the texts about the finding in this case.
func (p explanation) words() words {
	for _, special := range specialWords {
		if special.finding == p.Finding && special.when(p) {
			return special.words
		}
	}
	found := findingWords[p.Finding]
	return words{found.means, found.done, found.next}
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
			said += " An earlier attempt at the same call got no usable response."
		}
	}
	failed := p.Finding == usergroup.CallFailed || p.Finding == usergroup.LeftBehind
	if p.Cause != nil && p.Cause.Call != nil && failed {
		look := "Looking up the group afterward failed as well: "
		if p.Cause.Operation == usergroup.CheckService {
			look = "The check of the service failed: "
		} else if said == "" {
			look = "Looking up the group failed: "
		}
		said = join(" ", said, look+p.Cause.Call.Said()+".")
	}
	return said
}

// done returns what was and was not done, and how to remove an empty group that may have been left behind. said is what
// the words about the finding say, or empty if that depends on the operation.
func (p explanation) done(said string) string {
	if said == "" {
		said = p.ofOperation()
	}
	done := join(" ", said, p.left())
	if check := p.subject(); check.Problem != p.Problem && p.Finding != usergroup.RunEnded {
		done = join("\n\n", done, check.leftByCheck())
	}
	return cmp.Or(done, "No group was changed.")
}

// ofOperation returns whether the operation was carried out, and what that means for the state.
func (p explanation) ofOperation() string {
	words := operationWords[p.Operation]
	said := map[usergroup.Happened]string{
		usergroup.No: words.no, usergroup.Maybe: words.maybe, usergroup.Yes: words.yes,
	}[p.Done]
	if p.Operation != usergroup.Rotate || p.Done == usergroup.No {
		return said
	}
	switch stored := p.Known.Existed(); {
	case p.Done == usergroup.Maybe && stored:
		return said + " The state still refers to the old token, which may no longer work."
	case p.Done == usergroup.Maybe:
		return said + " The old token may no longer work."
	case p.NewToken && stored:
		return said + " The state refers to the new token."
	case stored:
		return said + " The state still refers to the old token, which has been replaced. The next refresh reads the " +
			"current token. If the next plan shows the rotation again, applying that plan rotates the token a second time."
	default:
		return said + " If Terraform manages the group, the next refresh reads the new token."
	}
}

// left returns what became of the empty group that a lookup creates, with a command that removes it if that is to be
// suggested.
func (p explanation) left() string {
	switch removable := p.Removable(); {
	case p.Empty && removable:
		return p.withCommand("If nobody uses it, remove it.")
	case p.MayBeLive && p.Placeholder == usergroup.PlaceholderLeft:
		return "The lookup created an empty group, which may still exist, and may already be in use. If the " +
			"request to delete the group got no response, the service may still carry it out."
	case p.MayBeLive && p.LookupUncertain && p.Placeholder == usergroup.NoPlaceholder:
		return "The lookup may have created an empty group. The lookup deleted nothing, because the group may belong to " +
			"a live customer."
	case p.Placeholder == usergroup.PlaceholderLeft:
		return p.withCommand("The lookup created an empty group, which may still exist. Remove it before you run " +
			"again.")
	case p.Placeholder == usergroup.PlaceholderRemoved && p.LookupUncertain:
		said := "The lookup created an empty group and then removed it. An earlier attempt at the lookup got no usable " +
			"response. If the service carries out that attempt later, an empty group will appear, which the next lookup or " +
			"create of this ID will find."
		if removable {
			said = p.withCommand(said + " In that case, if there should be no group with this ID, remove the empty group.")
		}
		return said
	case p.Placeholder == usergroup.PlaceholderRemoved:
		return "The lookup created an empty group, as it does for every missing ID, and then removed it."
	case p.Operation == usergroup.Delete && p.Done == usergroup.Yes && p.LookupUncertain:
		return "If the service carries out that lookup later, an empty group will appear, which the next lookup or " +
			"create of this ID will find."
	case p.LookupUncertain && removable:
		return p.withCommand("If the group did not exist before, the lookup may have created an empty group, which the " +
			"next run may mistake for a group that existed before. If there should be no group with this ID, remove the " +
			"empty group before you run again.")
	case p.LookupUncertain:
		return "If the group was deleted elsewhere in the meantime, the lookup may have created an empty group, which " +
			"the next lookup or create of this ID will find."
	default:
		return ""
	}
}

// leftByCheck is left for the group that a check of the service creates.
func (p explanation) leftByCheck() string {
	const created = "The check created a test group"
	switch {
	case p.Placeholder == usergroup.PlaceholderLeft:
		return p.withCommand(created + ", which may still exist. Remove it.")
	case p.Placeholder == usergroup.PlaceholderRemoved && p.LookupUncertain:
		return p.withCommand(created + " and then removed it. An earlier call for this group got no usable response. If " +
			"the service carries out that call later, the group will appear again. In that case, remove it.")
	case p.Placeholder == usergroup.PlaceholderRemoved:
		return created + " and then removed it."
	case p.LookupUncertain:
		return p.withCommand("The check may have left a test group behind. To be safe, remove the group.")
	default:
		return ""
	}
}

// withCommand appends a shell command that deletes the group, which is in no state. The command does not contain the
// token of the group, which is a secret.
func (p explanation) withCommand(said string) string {
	body, _ := json.Marshal(map[string]string{"user_group_id": p.ID})
	return said + " This command takes the provider's API key from EMBED_API_KEY:\n\n" +
		"  curl -X DELETE " + quotedForShell(p.URL) + ` -H "Authorization: Token $EMBED_API_KEY" ` +
		"-H 'Content-Type: application/json' -d " + quotedForShell(string(body))
}

func quotedForShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

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
	refused := call.Kind == api.Refused || call.Kind == api.Unauthorized
	switch {
	case p.Finding == usergroup.LeftBehind && refused && advice == "":
		return "An API key that is allowed to create groups but not to delete them can cause this error. " +
			kindWords[call.Kind]
	case (call.Kind == api.UnknownOutcome || call.Kind == api.Incomplete) &&
		(p.Done == usergroup.No || p.Operation == usergroup.Rotate && p.Done == usergroup.Yes):
		return join(" ", advice, runAgain)
	case call.Kind == api.UnknownOutcome || call.Kind == api.Incomplete:
		return join(" ", advice, operationWords[p.Operation].next)
	case advice != "":
		return advice
	case call.Kind == api.Unauthorized && call == p.Call && p.Done == usergroup.No &&
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
	other, mapping := "", ""
	if p.Response.TeamID != nil {
		other = ", with team_id " + orNone(p.Response.TeamID) + ","
	}
	if p.Sent.Mapping != nil {
		mapping = " The service does not show the group's mapping, so the next apply sends the mapping again."
	}
	return strings.NewReplacer(
		"{asked}", asked,
		"{answered}", answered,
		"{known.team_id}", orNone(p.Known.TeamID),
		"{response.team_id}", orNone(p.Response.TeamID),
		"{other}", other,
		"{mapping}", mapping,
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

// orNone returns an empty string for a value that is not known.
func orNone[T any](value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(*value)
}

// differences describes where the group at the service differs from what was sent. It names the top-level keys of
// properties, but no values.
func (p explanation) differences() string {
	differ := p.Sent.Differences(p.Response)
	said := ""
	if differ.Name {
		sent, shown := quoteApart(*p.Sent.Name, *p.Response.Name)
		said = fmt.Sprintf(" The name that was sent is %s, but the service returned %s.", sent, shown)
	}
	for _, part := range []struct {
		keys []string
		what string
	}{
		{differ.Remained, "also has these properties, which were not sent"},
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
