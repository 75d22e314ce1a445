package provider

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

const (
	titleInternal      = "The provider has a bug"
	titleNotConfigured = "The provider is not configured yet"
)

// reportBug follows the description of a bug.
const reportBug = "Please report this bug, with the steps to reproduce it."

// report adds the warnings of an operation and its error, which may be nil, to the diagnostics. An error that is not a
// Problem is reported as a bug.
func report(diags *diag.Diagnostics, err error, warnings ...*usergroup.Problem) {
	for _, problem := range warnings {
		words := explanation{problem}
		diags.AddWarning(words.title(), words.detail())
	}
	switch problem := problemOf(err); {
	case err == nil:
	case problem != nil:
		words := explanation{problem}
		diags.AddError(words.title(), words.detail())
	default:
		diags.AddError(titleInternal, "An operation failed in an unexpected way: "+err.Error()+
			". "+reportBug)
	}
}

// problemOf returns the Problem that an error is, or nil.
func problemOf(err error) *usergroup.Problem {
	var problem *usergroup.Problem
	_ = errors.As(err, &problem)
	return problem
}

// reportsMissing reports whether the error of a lookup says that the group does not exist. If an attempt of the lookup
// was lost, it adds a warning, because the service may still create an empty group.
func reportsMissing(diags *diag.Diagnostics, err error) bool {
	problem := problemOf(err)
	missing := problem != nil && errors.Is(problem, usergroup.ErrNotFound)
	if missing && problem.LookupUncertain {
		report(diags, nil, problem)
	}
	return missing
}

// isOver reports whether a refresh of a group in the state has failed because an earlier error, which was reported,
// ended the run, and has left nothing behind. If the group was deleted elsewhere, a lookup that got no response may
// have created it again. The next refresh shows that, so it is not said for each of the groups.
func isOver(err error) bool {
	problem := problemOf(err)
	return problem != nil && problem.Finding == usergroup.RunEnded && problem.Placeholder == usergroup.NoPlaceholder
}

// reportFailed reports the failed lookups of many groups. It leaves out those that only refer to the error that ended
// the run. If another object has reported that error, it reports the first reference to it.
func reportFailed(diags *diag.Diagnostics, failed []error) {
	for i, err := range failed {
		if !refersOnly(err) || i == 0 && !slices.ContainsFunc(failed, func(err error) bool { return !refersOnly(err) }) {
			report(diags, err)
		}
	}
}

// refersOnly reports whether an error says only that an earlier one ended the run.
func refersOnly(err error) bool {
	problem := problemOf(err)
	return problem != nil && problem.ChangedNothing()
}

// mayHaveLeftAGroup reports whether a failed lookup has, or may have, left an empty group behind.
func mayHaveLeftAGroup(err error) bool {
	problem := problemOf(err)
	return problem != nil && (problem.Placeholder == usergroup.PlaceholderLeft || problem.LookupUncertain)
}

func warnsOf(result usergroup.Result, finding usergroup.Finding) bool {
	return slices.ContainsFunc(result.Warnings, func(warning *usergroup.Problem) bool {
		return warning.Finding == finding
	})
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

// dataFrom returns the data that the provider's Configure passed to its objects, or the zero value if the provider is
// not configured yet.
func dataFrom[Data any](providerData any, diags *diag.Diagnostics) (data Data) {
	if providerData == nil {
		return data
	}
	data, ok := providerData.(Data)
	if !ok {
		diags.AddError(titleInternal, fmt.Sprintf("The provider passed data of type %T to one of its objects. %s",
			providerData, reportBug))
	}
	return data
}

// reportsUnconfigured reports whether an operation cannot start, because diags has an error or because service is nil.
// In the latter case, an argument of the provider is unknown, and it adds an error about that. what names the
// operation, for example "creating a user group".
func reportsUnconfigured(diags *diag.Diagnostics, service *usergroup.Service, what string) bool {
	if !diags.HasError() && service == nil {
		diags.AddError(titleNotConfigured, capitalized(what)+" requires the service, "+
			"but an argument in the provider block depends on a value that is only known after apply. No call was made. "+
			"Set the provider's arguments to values that are known during the plan, "+
			"or first create what they depend on, in a separate run with -target.")
	}
	return diags.HasError()
}

func capitalized(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
