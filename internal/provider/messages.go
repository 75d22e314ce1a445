package provider

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// The message of a Problem has a title and three parts, separated by blank lines: what the service responded and what
// that means, what was and was not done, and what to do next. The troubleshooting guide lists the titles about which
// there is more to say.

const (
	titleInternal      = "The provider has a bug"
	titleNotConfigured = "The provider is not configured yet"
	reportBug          = "Please report this bug, with the steps to reproduce it."
)

// report adds the warnings of an operation and its error, which may be nil, to the diagnostics. An error that is not a
// Problem is reported as a bug.
func report(diags *diag.Diagnostics, err error, warnings ...*usergroup.Problem) {
	for _, warning := range warnings {
		shown := *warning
		shown.IsWarning = true
		diags.AddWarning(title(&shown), api.Inert(detail(&shown)))
	}
	switch problem := problemOf(err); {
	case err == nil:
	case problem != nil:
		diags.AddError(title(problem), api.Inert(detail(problem)))
	default:
		diags.AddError(titleInternal, err.Error()+". "+reportBug)
	}
}

// problemOf returns the Problem that an error is, or nil.
func problemOf(err error) (problem *usergroup.Problem) {
	_ = errors.As(err, &problem)
	return problem
}

// title returns the title of a problem. That of a warning may have no ID: see counted.
func title(p *usergroup.Problem) string {
	p = subject(p)
	texts := findings[p.Finding]
	if p.IsWarning {
		texts.title = cmp.Or(texts.counted, texts.title)
	}
	return titleFor(cmp.Or(texts.title, operations[p.Operation].failed), p.ID)
}

// subject returns the problem that a message explains: that of the preflight, if an operation has failed because of it.
func subject(p *usergroup.Problem) *usergroup.Problem {
	if cause := cmp.Or(p.Cause, p); cause.Operation == usergroup.Preflight {
		return cause
	}
	return p
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
	return api.Inert(strings.ReplaceAll(title, "%q", quoted))
}

func detail(p *usergroup.Problem) string {
	about := subject(p)
	if p.Cause != nil && about == p {
		earlier := fmt.Sprintf("See the earlier error: %s.", title(p.Cause))
		return joined("\n\n", earlier, done(p)) // A line or two are enough for each of many groups.
	}
	means := joined(" ", operations[about.Operation].what, said(p), findings[p.Finding].means, facts(about))
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
	return strings.ToUpper(said[:1]) + said[1:] + "."
}

// facts returns the values that a finding is about. It names the keys of properties, but none of their values.
func facts(p *usergroup.Problem) string {
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

// unescaped returns a text without HTML entities, however often a service has escaped it.
func unescaped(text string) string {
	for {
		shorter := html.UnescapeString(text)
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// whatDiffers names what the service shows differently. Nobody must write a name as a service has escaped it.
func whatDiffers(p *usergroup.Problem) string {
	const otherText = "The %s that was sent is %+q; the service shows %+q."
	var parts []string
	if shown := *cmp.Or(p.Response.ProvidedID, &p.ID); shown != p.ID {
		parts = append(parts, fmt.Sprintf(otherText, "ID", p.ID, shown))
	}
	differences := p.Sent.Differences(p.Response)
	if differences.Name {
		parts = append(parts, fmt.Sprintf(otherText, "name", *p.Sent.Name, unescaped(*p.Response.Name)))
	}
	if keys := differences.Properties; len(keys) > 0 {
		parts = append(parts, fmt.Sprintf("These properties differ: %+q.", keys[:min(len(keys), 20)]))
	}
	return joined(" ", parts...)
}

// done says what was and was not done, and which groups may remain. That has advice of its own, because a message that
// refers to another one has no more than this.
func done(p *usergroup.Problem) string {
	texts := findings[p.Finding]
	if p.IsWarning {
		texts.done = cmp.Or(texts.succeeded, texts.done)
	}
	text := cmp.Or(texts.done, whatWasDone(p))
	for _, id := range p.Left {
		text += fmt.Sprintf(" A group with the ID %q may remain, if there was none: a lookup or the preflight may have "+
			`created it. If no state has it, see "Remove an empty group" in the guide Troubleshooting.`, id)
	}
	return text
}

// whatWasDone says whether the operation was carried out.
func whatWasDone(p *usergroup.Problem) string {
	operation := operations[p.Operation]
	text := map[api.Done]string{api.No: operation.no, api.Maybe: operation.maybe, api.Yes: operation.yes}[p.Done]
	if p.Done == api.Yes && !p.IsWarning {
		text = joined(" ", text, operation.unrecorded)
	}
	return text
}

// nextToDo says what to do next.
func nextToDo(p *usergroup.Problem) string {
	advice := ""
	if p.Call != nil {
		advice = p.Call.Advice()
	}
	if p.Done == api.Maybe {
		advice = cmp.Or(operations[p.Operation].unclear, advice)
	}
	return joined(" ", findings[p.Finding].next, advice)
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
// was carried out, and has failed nevertheless, unrecorded says what the state lacks. unclear is what to do if the
// outcome is not known, in place of the advice about the call, and what describes an operation that no user asks for.
type outcome struct{ failed, what, no, maybe, unclear, yes, unrecorded string }

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
		no:     "The group was not updated. It is not in the state.",
		maybe:  "It is not known whether the group was updated. It is not in the state.",
		yes:    "The group was updated.", unrecorded: "It is not in the state.",
	},
	usergroup.Update: {
		failed: "Cannot update user group %q",
		no:     "The group was not updated.",
		maybe:  "It is not known whether the group was updated. The next plan sends again what the service does not show.",
		yes:    "The group was updated.",
	},
	usergroup.Rotate: {
		failed: "Cannot rotate the token of user group %q",
		no:     "The token was not rotated.",
		maybe:  "It is not known whether the token was rotated, so the old one may no longer work.",
		unclear: "The service may still be at work on it, so wait some minutes. Then rotate the token again only if it is " +
			`still the old one: see "When a response is lost" in the guide Tokens.`,
		yes:        "The token was rotated.",
		unrecorded: "If Terraform manages the group, the state has the new token, or the next refresh reads it.",
	},
	usergroup.Delete: {
		failed: "Cannot delete user group %q",
		no:     "The group was not deleted. It stays in the state.",
		maybe:  "It is not known whether the group was deleted. It stays in the state; deleting it again does no harm.",
		yes:    "The group was deleted.",
	},
	usergroup.Preflight: {
		failed: "Cannot test the service and the API key",
		what:   "The preflight, which tests the service with a group of its own, failed.",
		no:     "None of your groups was changed.",
	},
}

// findings has the texts about each finding: its title, what it means, what was done, and what to do next. Without a
// text in done, it follows from the operation.
var findings = map[usergroup.Finding]struct {
	title, means, done, next string
	// counted is the title of a warning that engines count, because all of them have the same one. It is for what no
	// reader has to do anything about for each group.
	counted   string
	succeeded string                          // done, if it is a warning
	fact      func(*usergroup.Problem) string // what to insert after the meaning
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
		next: "Check that the ID and the API key are the right ones. To manage the group with Terraform, import it, or set " +
			"adopt_existing = true to take it over. If another resource has the same user_group_id, remove one of the two. " +
			"If another run is just looking it up, run again. If the group was just deleted, it may still be going: run " +
			"again in a minute.",
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
		fact:      otherTeam,
		title:     "User group %q was replaced, or the API key is the wrong one",
		means:     "Another group has this user_group_id: both its team_id and its token differ.",
		succeeded: "The group leaves the state. No other group was touched.",
		next: "Check the API key before you apply. If it is the right one, the group was deleted and created again " +
			"elsewhere: import the new one, or set adopt_existing = true.",
	},
	usergroup.UnexpectedToken: {
		counted: "A user group has an unexpected token",
		means: "The service now shows another token than it should. Somebody else may have rotated the token, or " +
			"created the group again. On a service that renews tokens with each update, or signs them anew with each " +
			"response, nothing is wrong.",
		next: "Plan again: the plan shows the group as it is now. After an update, the state has the old token until the " +
			"next apply.",
	},
	usergroup.Mismatched: {
		fact:  whatDiffers,
		title: "The service returned a wrong response about user group %q",
		means: "The response is about another group than the request, or contradicts an earlier one.",
		next: "If the service changes IDs (case, spaces, length), write yours as it shows them. Otherwise, look for a " +
			"cache, and turn it off. Until then, delete no group by hand: it may belong to a live customer.",
	},
	usergroup.MayBePlaceholder: {
		title: "Looking up user group %q may have created it",
		means: "A response to the lookup was lost. The group existed before, or that lookup has created it.",
		next:  "If the group should exist, run again.",
	},
	usergroup.LeftBehind: {
		title: "User group %q may remain after a lookup",
		means: "The group was created only to look a group up or to test the service.",
		fact:  whyLeft, succeeded: "The operation succeeded.",
	},
	usergroup.NotTakenAsSent: {
		fact:    whatDiffers,
		counted: "A user group was not taken as it was sent",
		means: "The service reported success, but its response shows something else than was sent, or what the group had " +
			"before.",
		done: "The state has what was sent.",
		next: "If the next plan shows a change, write in the configuration what the service keeps, without entities such " +
			"as &amp;. A service that merges properties keeps those that are no longer sent: write each as null for one " +
			"apply, as in { rows = null }.",
	},
	usergroup.OutdatedToken: {
		title: "The service shows an outdated token of user group %q",
		means: "The service shows a token that has or should have been replaced, as can happen shortly after a " +
			"rotation.",
		next: "Wait some minutes before you run again.",
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
		counted: "A user group was adopted",
		means:   "The group already existed, and adopt_existing is true.",
		done:    "The group was updated to match this configuration. The provider did not rotate its token.",
		next:    "From now on, destroying this resource deletes the group.",
	},
	usergroup.Claimed: {
		title: "User group %q is assumed to be the one just created",
		means: "A response to the create was lost, so this run may have created the group, or it existed before. It now " +
			"has the name and properties that were sent.",
		done: "The group is in the state. If it has a mapping, the next plan sends that again, because no response shows it.",
		next: "If you know that the group existed before, run `terraform state rm` rather than destroying it.",
	},
	usergroup.Kept: {
		counted: "A user group was kept",
		means:   "This run created or adopted the group anew, at this address or another one. Terraform manages it there.",
		done:    "The group was not deleted.",
	},
}
