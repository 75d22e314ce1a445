package provider

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// The message of a Problem has a title and three parts, separated by blank lines: what the service responded and what
// that means, what was and was not done, and what to do next. Each title has an entry in the troubleshooting guide.

const (
	titleInternal      = "The provider has a bug"
	titleNotConfigured = "The provider is not configured yet"
	reportBug          = "Please report this bug, with the steps to reproduce it."
)

// report adds the warnings of an operation and its error, which may be nil, to the diagnostics. An error that is not a
// Problem is reported as a bug.
func report(diags *diag.Diagnostics, err error, warnings ...*usergroup.Problem) {
	for _, warning := range warnings {
		diags.AddWarning(api.Inert(title(warning)), api.Inert(detail(warning)))
	}
	switch problem := problemOf(err); {
	case err == nil:
	case problem != nil:
		diags.AddError(api.Inert(title(problem)), api.Inert(detail(problem)))
	default:
		diags.AddError(titleInternal, err.Error()+". "+reportBug)
	}
}

// problemOf returns the Problem that an error is, or nil.
func problemOf(err error) (problem *usergroup.Problem) {
	_ = errors.As(err, &problem)
	return problem
}

func title(p *usergroup.Problem) string {
	if isAboutPreflight(p) {
		p = p.Cause // Errors that refer to this one name its title.
	}
	return titleFor(cmp.Or(findings[p.Finding].title, operations[p.Operation].failed), p.ID)
}

// isAboutPreflight reports whether an operation has failed because the preflight did, and the first of them.
func isAboutPreflight(p *usergroup.Problem) bool {
	return p.Cause != nil && p.Cause.Operation == usergroup.Preflight && p.Finding != usergroup.RunEnded
}

// titleFor replaces %q in a title with the quoted ID. It truncates the ID if the title would otherwise be longer
// than 80 characters.
func titleFor(title, id string) string {
	const line = 80
	room := line - utf8.RuneCountInString(strings.ReplaceAll(title, "%q", `""`))
	quoted := strconv.Quote(id)
	for runes := []rune(id); utf8.RuneCountInString(quoted) > room+2; runes = runes[:len(runes)-1] {
		quoted = strconv.Quote(string(runes) + "…")
	}
	return strings.ReplaceAll(title, "%q", quoted)
}

func detail(p *usergroup.Problem) string {
	if p.Cause != nil && (p.Finding == usergroup.RunEnded || p.Finding == usergroup.Exists) {
		earlier := fmt.Sprintf("See the earlier error: %s.", title(p.Cause))
		return joined("\n\n", earlier, done(p)) // A line or two are enough for each of many groups.
	}
	means := joined(" ", said(p), findings[p.Finding].means, facts(p))
	return joined("\n\n", means, done(p), nextToDo(p))
}

// joined joins the texts that are not empty.
func joined(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

func said(p *usergroup.Problem) string {
	if p.Call == nil {
		return ""
	}
	said := p.Call.Said()
	said = strings.ToUpper(said[:1]) + said[1:] + "."
	if isAboutPreflight(p) {
		said = "The preflight, which tests the service with a group of its own, failed. " + said
	}
	return said
}

// facts returns the values that a finding is about. It names the keys of properties, but none of their values.
func facts(p *usergroup.Problem) string {
	if isAboutPreflight(p) {
		p = p.Cause
	}
	if fact := findings[p.Finding].fact; fact != nil {
		return fact(p)
	}
	return ""
}

func otherTeam(p *usergroup.Problem) string {
	return fmt.Sprintf("The team_id of the group was %s; the service shows %s.",
		printable(cmp.Or(p.Prior.TeamID, "none")), printable(cmp.Or(p.Response.TeamID, "none")))
}

func otherEnvironment(p *usergroup.Problem) string {
	known := cmp.Or(p.Response.EnvironmentTag, p.Prior.EnvironmentTag, &p.Prior.Environment)
	return fmt.Sprintf("The expected environment is %q; the group is in %q.", p.Expected, *known)
}

func keyEnvironment(p *usergroup.Problem) string {
	shown := "none"
	if tag := p.Response.EnvironmentTag; tag != nil {
		shown = strconv.Quote(*tag)
	}
	return fmt.Sprintf("The expected environment is %q; the service shows %s.", p.Expected, shown)
}

// whetherRenewed says what else can be the reason for another token, and whether the state has it.
func whetherRenewed(p *usergroup.Problem) string {
	return map[usergroup.Operation]string{
		usergroup.Adopt: "The service may also renew tokens with each update.",
		usergroup.Update: "The service may also renew tokens with each update. Until you apply again, the state has the " +
			"old one.",
	}[p.Operation]
}

// whatDiffers names what the service shows differently. Nobody must write a name as a service has escaped it.
func whatDiffers(p *usergroup.Problem) string {
	const otherText = "The %s that was sent is %+q; the service shows %+q."
	var parts []string
	if other := p.Response.ProvidedID; other != nil && *other != p.ID {
		parts = append(parts, fmt.Sprintf(otherText, "ID", p.ID, *other))
	}
	differences := p.Sent.Differences(p.Response)
	if differences.Name {
		parts = append(parts, fmt.Sprintf(otherText, "name", *p.Sent.Name, html.UnescapeString(*p.Response.Name)))
	}
	if keys := differences.Properties; len(keys) > 0 {
		parts = append(parts, fmt.Sprintf("These properties differ: %+q.", keys[:min(len(keys), 20)]))
	}
	return joined(" ", parts...)
}

// done says what was and was not done, and which groups may remain.
func done(p *usergroup.Problem) string {
	text := cmp.Or(findings[p.Finding].done, whatWasDone(p))
	switch {
	case p.Finding == usergroup.LeftBehind && p.Succeeded: // It is about another group than the operation.
		text = ""
	case p.Finding == usergroup.Replaced && p.Succeeded: // A deletion has found another group.
		text = "The group leaves the state. No other group was touched."
	}
	for _, id := range p.Left {
		what := "A group with the ID %q may remain: a lookup or the preflight may have created it. "
		text = joined(" ", text, fmt.Sprintf(what, id)+removeIt)
	}
	return text
}

// whatWasDone says whether the operation was carried out.
func whatWasDone(p *usergroup.Problem) string {
	operation := operations[p.Operation]
	if p.Operation == usergroup.Rotate && !p.Managed {
		operation = rotatesUnmanaged
	}
	switch p.Done {
	case api.Yes:
		if p.Succeeded {
			return operation.yes
		}
		return joined(" ", operation.yes, operation.unrecorded)
	case api.Maybe:
		return operation.maybe
	default:
		return operation.no
	}
}

const removeIt = `If nobody uses it, remove it: see "Remove an empty group" in the guide Troubleshooting.`

// nextToDo says what to do next.
func nextToDo(p *usergroup.Problem) string {
	isUnclear := findings[p.Finding].title == "" || p.Finding == usergroup.UnexpectedToken
	isOfAction := p.Operation == usergroup.Rotate && !p.Managed
	if isOfAction && isUnclear && p.Done == api.Maybe {
		return `Run the action again only if the token was not rotated: see "When a response is lost" in the guide Tokens.`
	}
	advice := ""
	if p.Call != nil {
		advice = p.Call.Advice()
	}
	return joined(" ", findings[p.Finding].next, howToDelete(p), advice)
}

// howToDelete says how the next group of this kind can be deleted, if the service has refused a deletion.
func howToDelete(p *usergroup.Problem) string {
	isRefused := p.Call != nil && p.Call.Method == http.MethodDelete && p.Call.Kind == api.Refused
	if p.Finding != usergroup.LeftBehind || !isRefused {
		return ""
	}
	return "If deletions need a data source, check data_source_provided_id."
}

// whyLeft says why a group that a lookup has created may remain, unless the service has not deleted it.
func whyLeft(p *usergroup.Problem) string {
	if p.Call != nil {
		return ""
	}
	return "Nothing proves that nobody has taken it, or a request that was lost may create it again. If the service " +
		"fills in a field that is not sent, add the field to lookup_fields."
}

// outcome has the texts about an operation: its title if the finding has none, and what is known of its outcome. If it
// was carried out, and has failed nevertheless, unrecorded says what the state lacks.
type outcome struct{ failed, no, maybe, yes, unrecorded string }

var operations = map[usergroup.Operation]outcome{
	usergroup.LookUp: {failed: "Cannot look up user group %q", no: "No group was changed."},
	usergroup.Create: {
		failed: "Cannot create user group %q",
		no:     "The group was not created.",
		maybe: "It is not known whether the group was created. Nothing was added to the state. If the next run says that " +
			"the group already exists, import it.",
		yes:        "The group was created.",
		unrecorded: "It is not in the state: import it.",
	},
	usergroup.Adopt: {
		failed: "Cannot adopt user group %q",
		no:     "The group was not changed. It is not in the state.",
		maybe:  "It is not known whether the group was updated. It is not in the state.",
		yes:    "The group was updated.", unrecorded: "It is not in the state.",
	},
	usergroup.Update: {
		failed: "Cannot update user group %q",
		no:     "The group was not updated.",
		maybe:  "It is not known whether the group was updated. The next plan sends the values again.",
		yes:    "The group was updated.",
	},
	usergroup.Rotate: {
		failed: "Cannot rotate the token of user group %q",
		no:     "The token was not rotated.",
		maybe: "It is not known whether the token was rotated, so the old one may no longer work. The service may still " +
			"be at work on it, so wait some minutes before you run again. If a refresh then finds another token, the next " +
			"plan does not show the rotation again.",
		yes: "The token was rotated, and the state records it.",
	},
	usergroup.Delete: {
		failed: "Cannot delete user group %q",
		no:     "The group was not deleted. It stays in the state.",
		maybe:  "It is not known whether the group was deleted. It stays in the state; deleting it again does no harm.",
		yes:    "The group was deleted.",
	},
	usergroup.Preflight: {failed: "Cannot test the service and the API key", no: "None of your groups was changed."},
}

// rotatesUnmanaged takes the place of the texts about a rotation if there is no state, as in an action.
var rotatesUnmanaged = outcome{
	no: "The token was not rotated.",
	maybe: "It is not known whether the token was rotated, so the old one may no longer work. The service may still be " +
		"at work on it, so wait some minutes before you run again. Running the action again rotates the token even if this " +
		"rotation succeeded.",
	yes: "The token was rotated, but the new one is not in a state. If Terraform manages the group, the next refresh " +
		"reads it. Running the action again rotates the token once more.",
}

// findings has the texts about each finding: its title, what it means, what was done, and what to do next. Without a
// text in done, it follows from the operation.
var findings = map[usergroup.Finding]struct {
	title, means, done, next string
	fact                     func(*usergroup.Problem) string // what to insert after the meaning
}{
	usergroup.NotFound: {
		title: "User group %q does not exist",
		means: "The service has no group with this ID.",
		next:  "Check the spelling of the ID, and that the API key belongs to the right environment.",
	},
	usergroup.Exists: {
		title: "User group %q already exists",
		means: "The service already has a group with this ID.",
		done:  "Nothing was changed, and nothing was added to the state.",
		next: "To manage the group with Terraform, import it, or set adopt_existing = true to take it over. If another " +
			"resource has the same user_group_id, remove one of the two. If another run is just looking it up, run again. " +
			"If the group was just deleted, it may still be going: run again in a minute.",
	},
	usergroup.MayHaveExisted: {
		fact:  whatDiffers,
		title: "User group %q may have existed before",
		means: "The response to the create was lost or incomplete. The service now has a group with this ID, and " +
			"nothing proves that this run created it.",
		done: "If the group existed before, it was not changed. Nothing was added to the state.",
		next: "If the group is yours, import it, or set adopt_existing = true to take it over.",
	},
	usergroup.Replaced: {
		fact:  otherTeam,
		title: "A user group was replaced, or the API key belongs to another environment",
		means: "Another group has this user_group_id: both its team_id and its token differ.",
		next: "Check the API key before you apply. If it is the right one, the group was deleted and created again " +
			"elsewhere: import the new one, or set adopt_existing = true.",
	},
	usergroup.UnexpectedToken: {
		fact:  whetherRenewed,
		title: "User group %q has an unexpected token",
		means: "The service now shows another token than it should. Somebody else may have rotated the token, or " +
			"created the group again.",
		next: "Plan again: the plan shows the group as it is now.",
	},
	usergroup.Mismatched: {
		fact:  whatDiffers,
		title: "The service returned a wrong response about user group %q",
		means: "The response is about another group than the request, or contradicts an earlier one.",
		next: "If the service changes IDs (case, spaces, length), use the ID that it shows. Otherwise, look for a cache, " +
			"and turn it off. Until then, delete no group by hand: it may belong to a live customer.",
	},
	usergroup.MayBePlaceholder: {
		title: "Looking up user group %q may have created it",
		means: "A response to the lookup was lost. The group existed before, or that lookup has created it.",
		next:  "If the group should exist, run again.",
	},
	usergroup.LeftBehind: {
		title: "User group %q may remain after a lookup",
		means: "The group was created only to look a group up or to test the service.",
		fact:  whyLeft,
	},
	usergroup.NotTakenAsSent: {
		fact:  whatDiffers,
		title: "User group %q was not taken as it was sent",
		means: "The service reported success, but its response shows something else than was sent, or what the group had " +
			"before.",
		done: "The state has what was sent.",
		next: "If the next plan shows a change, write in the configuration what the service keeps. A service that merges " +
			"properties keeps those that are no longer sent.",
	},
	usergroup.OutdatedToken: {
		title: "The service shows an outdated token of user group %q",
		means: "The service shows no token, or one that has or should have been replaced, as can happen shortly after a " +
			"rotation.",
		next: "Run again in a minute.",
	},
	usergroup.WrongEnvironment: {
		fact:  otherEnvironment,
		title: "User group %q is in another environment",
		next: "Check that the API key and the provider's environment match the group's. If the state has the group, " +
			"`terraform state rm` stops managing it without deleting it.",
	},
	usergroup.WrongKey: {
		fact:  keyEnvironment,
		title: "The API key does not belong to the expected environment",
		means: "The preflight's test group shows the environment of the key.",
		next: "Use an API key for the expected environment, or change the provider's environment. If the service shows " +
			"no environment, remove the argument.",
	},
	usergroup.Adopted: {
		title: "User group %q was adopted",
		means: "The group already existed, and adopt_existing is true.",
		done:  "The group was updated to match this configuration. The provider did not rotate its token.",
		next:  "From now on, destroying this resource deletes the group.",
	},
	usergroup.Claimed: {
		title: "User group %q is assumed to be the one just created",
		means: "A response to the create was lost, so this run may have created the group, or it existed before. It now " +
			"has the name and properties that were sent.",
		done: "The group is in the state.",
		next: "If you know that the group existed before, run `terraform state rm` rather than destroying it.",
	},
	usergroup.Kept: {
		title: "User group %q was kept",
		means: "This run created or adopted the group anew, at this address or another one. Terraform manages it there.",
		done:  "The group was not deleted.",
	},
}
