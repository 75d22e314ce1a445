package provider

import (
	"errors"
	"fmt"
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

// addError turns an error of an operation into a diagnostic.
func addError(diags *diag.Diagnostics, err error) {
	var problem *usergroup.Problem
	if errors.As(err, &problem) {
		words := explanation{problem}
		diags.AddError(words.title(), words.detail())
		return
	}
	diags.AddError(titleInternal, "An operation failed in an unexpected way: "+err.Error()+
		". Please report it with the steps to reproduce it.")
}

// report turns what an operation has found into diagnostics: its warnings, and its error if there is one.
func report(diags *diag.Diagnostics, err error, warnings ...*usergroup.Problem) {
	for _, problem := range warnings {
		words := explanation{problem}
		diags.AddWarning(words.title(), words.detail())
	}
	if err != nil {
		addError(diags, err)
	}
}

// titleFor names a group in a title, by the beginning of its id where the title would not fit a line of a terminal.
func titleFor(title, id string) string {
	const line = 80
	room := line - utf8.RuneCountInString(strings.ReplaceAll(title, "%q", `""`))
	quoted := strconv.Quote(id)
	for runes := []rune(id); utf8.RuneCountInString(quoted) > room+2; runes = runes[:len(runes)-1] {
		quoted = strconv.Quote(string(runes) + "…")
	}
	return strings.ReplaceAll(title, "%q", quoted)
}

// dataFrom takes what Configure of the provider left for its objects: nothing until the provider is configured.
func dataFrom[Data any](providerData any, diags *diag.Diagnostics) (data Data) {
	if providerData == nil {
		return data
	}
	data, ok := providerData.(Data)
	if !ok {
		diags.AddError(titleInternal, fmt.Sprintf("An object was configured with %T. "+
			"Please report it with the steps to reproduce it.", providerData))
	}
	return data
}

// cannot reports whether an operation has to end before it begins: values could not be read, or there is no service
// because an argument of the provider is unknown, which it says.
func cannot(diags *diag.Diagnostics, service *usergroup.Service, what string) bool {
	if !diags.HasError() && service == nil {
		diags.AddError(titleNotConfigured, capitalized(what)+" needs the service, "+
			"but an argument of the provider block depends on something that is not known before apply. No call was made. "+
			"Give the provider's arguments values that are known at plan, "+
			"or create what they depend on in an earlier run (-target).")
	}
	return diags.HasError()
}

func capitalized(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
