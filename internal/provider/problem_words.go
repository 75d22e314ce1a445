package provider

import "github.com/dashembed/terraform-provider-embed/internal/usergroup"

// In the following tables, explanation.fill replaces the names in braces. Each title needs a heading in the
// troubleshooting guide.

// operationWords has the texts about each operation. failed is the title unless the finding has one. no, maybe and
// yes describe the outcome. next is the advice if the outcome is not known.
var operationWords = map[usergroup.Operation]struct{ failed, no, maybe, yes, next string }{
	usergroup.LookUp: {
		failed: "Cannot look up user group %q",
		next:   runAgain,
	},
	usergroup.Create: {
		failed: "Cannot create user group %q",
		no:     "The group was not created.",
		maybe:  "It is not known whether the group was created. Nothing was added to the state.",
		yes:    "The group was created, but it is not in the state.",
		next: "Run again. If the group was created, the next run adopts it (with adopt_existing = true), or reports that " +
			"it already exists and says what to do.",
	},
	usergroup.Adopt: {
		failed: "Cannot adopt user group %q",
		no:     "The group was not changed. It is not in the state.",
		maybe:  "It is not known whether the group was updated. The group is not in the state.",
		yes:    "The group was updated, but it is not in the state.",
		next:   "Run again: the next run adopts the group.",
	},
	usergroup.Update: {
		failed: "Cannot update user group %q",
		no:     "The group was not updated.",
		maybe:  "It is not known whether the group was updated.",
		yes:    "The group was updated.",
		next:   "Run again: the next plan shows what is left to update.",
	},
	usergroup.Rotate: {
		failed: "Cannot rotate the token of user group %q",
		no:     "The token was not rotated.",
		maybe:  "It is not known whether the token was rotated.",
		yes:    "The token was rotated.",
		next: "Run again. The next refresh reads the current token. If the next plan shows the rotation again, applying " +
			"that plan rotates the token, even if this rotation did succeed.",
	},
	usergroup.Delete: {
		failed: "Cannot delete user group %q",
		no:     "The group was not deleted. It stays in the state.",
		maybe:  "It is not known whether the group was deleted. The group stays in the state.",
		yes:    "The group was deleted.",
		next:   "Run again: deleting a group that is already gone succeeds.",
	},
	usergroup.CheckService: {
		failed: "Cannot check the service and the API key",
		next:   runAgain,
	},
}

// findingWords has the texts about each finding: what it means, what was done, and what to do next. Without a text in
// done, it follows from the operation. specialWords come first.
var findingWords = map[usergroup.Finding]struct{ title, means, done, next string }{
	usergroup.NotFound: {
		title: "User group %q does not exist",
		means: noGroup,
		next:  "Check the spelling of the ID, and that the API key belongs to the right environment.",
	},
	usergroup.Exists: {
		title: "User group %q already exists",
		means: "The service already has a group with this ID.",
		done:  "Nothing was changed, and nothing was added to the state.",
		next: "To manage the group with Terraform, import it with an import block or `terraform import`, or set " +
			"adopt_existing = true to take it over. If another resource block has the same user_group_id, remove one of the " +
			"two blocks. If the resource is tainted and uses create_before_destroy, run `terraform untaint`. If the group " +
			"is used for something else, choose another user_group_id. If the group was deleted only a moment ago, run again.",
	},
	usergroup.MayHaveExisted: {
		title: "User group %q may have existed before",
		means: "The response to the create was lost or incomplete, or showed another ID. The service now has a group " +
			"with this ID, and nothing proves that this run created it.{differences}",
		done: "If the group existed before, it was not changed. Nothing was added to the state.",
		next: "If the group is yours, import it with an import block, or set adopt_existing = true to take it over.",
	},
	usergroup.Replaced: {
		title: "User group %q has been replaced",
		means: "The expected group has team_id {known.team_id}, but the group that the service shows under this ID has " +
			"team_id {response.team_id}. " + replacement,
		next: planAgain,
	},
	usergroup.AnsweredForAnother: {
		title: "The service returned a different group than %q",
		means: "The request was about {asked}, and the response is about {answered}.",
		next: "If the service normalizes IDs (case, spaces, length), use the ID that it returns. Otherwise, check " +
			"that no cache responds in place of the service, then run again.",
	},
	usergroup.AnsweredFromCache: {
		title: "A cache may have returned user group %q",
		means: "The service says that it has just created the group, but the group must have existed before. The " +
			"response is most likely an old one from a cache, such as a caching proxy.",
		next: turnOffCaching,
	},
	usergroup.AnswersDisagree: {
		title: "A cache may have returned user group %q",
		means: "The service first said that it had just created the group, and then showed another group under the same " +
			"ID. Either a cache, such as a caching proxy, returned an old response, or the group was replaced at that " +
			"moment.",
		next: turnOffCaching,
	},
	usergroup.MayBeLeftBehind: {
		title: "Looking up user group %q may have created it",
		means: leftBehind,
		next:  "If the group should exist, run again.",
	},
	usergroup.LeftBehind: {
		title: "User group %q may still exist",
	},
	usergroup.NotTakenAsSent: {
		title: "User group %q was not updated as planned",
		means: "The service reported success, but the name or properties in its response differ from what was sent." +
			"{differences}",
		next: "Change the configuration to match what the service keeps. A service that merges properties keeps " +
			"properties that are no longer sent.",
	},
	usergroup.NotRotated: {
		title: "Cannot rotate the token of user group %q",
		means: "The service reported success, but returned a token that is not new.",
		next:  runAgain,
	},
	usergroup.MayBeAnother: {
		title: "User group %q may be a different group",
		means: "The service has a group with this ID and a different token, and does not show whether it is still " +
			"the same group.",
		next: "Run again: the next plan shows the group as it is now.",
	},
	usergroup.OutdatedToken: {
		title: "The service shows an outdated token of user group %q",
		means: "The service shows a token that has already been replaced, which can happen shortly after a rotation.",
		next: "Run again in a minute. If the service still shows the old token after that, the provider treats that token " +
			"as the current one, and reports a warning.",
	},
	usergroup.WrongEnvironment: {
		title: "User group %q is in another environment",
		means: "The group should be in the environment {known.environment}, but is in {response.environment}.",
		next: "Check that the API key and the provider's environment match the group's environment. To stop managing the " +
			"group without deleting it, run `terraform state rm`.",
	},
	usergroup.WrongKey: {
		title: "The API key belongs to another environment",
		means: "The provider's environment is {known.environment}. A test group created with this API key was in " +
			"{response.environment}.",
		next: "Use an API key for the environment {known.environment}, or change the provider's environment.",
	},
	usergroup.NoEnvironment: {
		title: "The environment of the API key is not known",
		means: "The provider's environment is {known.environment}. A test group created with this API key shows no " +
			"environment.",
		next: "Remove the environment argument from the provider block, or unset EMBED_ENVIRONMENT. Without this argument, " +
			"the provider does not check which environment the API key belongs to.",
	},
	usergroup.Adopted: {
		title: "User group %q was adopted",
		means: "The group already existed, and adopt_existing is true.",
		done:  "The group was updated to match this configuration, and keeps its token.",
		next:  "From now on, destroying this resource deletes the group.",
	},
	usergroup.Claimed: {
		title: "User group %q is assumed to be the one just created",
		means: "The response to the create was lost. The service now has a group with this ID, with the name and any " +
			"properties that were sent, so this run has most likely created it.",
		done: "The group is in the state.{mapping}",
		next: "If you know that the group existed before, run `terraform state rm` rather than updating or destroying it.",
	},
	usergroup.Recreated: {
		title: "User group %q was recreated",
		means: "This run deleted the group, or found that it was gone, and then created it again.",
		done: "The new group has a new token and a new team_id. Everything that this configuration does not set is " +
			"lost.",
		next: "To move a resource to another address, use a moved block.",
	},
	usergroup.Kept: {
		title: "User group %q was kept",
		means: "This run created or adopted the group at another address, or as a replacement at the same address. " +
			"Terraform now manages it there.",
		done: "The group was not deleted.",
		next: "To move a resource to another address, use a moved block.",
	},
	usergroup.AnotherRemains: {
		title: "Another user group has the ID %q",
		means: groupIsGone,
		done:  "The other group was not touched.",
	},
	usergroup.FoundEmpty: {
		title: "User group %q may be empty",
		means: "The group " + showsNothing + ", although the service shows the names of other groups. " + mayBeEmpty,
		done:  "The group was treated like any other.",
	},
	usergroup.TokenChanged: {
		title: "The token of user group %q was rotated elsewhere",
		means: "The response to the update contains a token other than the one known to Terraform.",
		done:  "The group was updated. The next refresh reads the new token.",
	},
	usergroup.TokenReturned: {
		title: "An earlier token of user group %q is current again",
		means: "An earlier apply replaced this token with a newer one. More than a minute later, the service shows the " +
			"old token again. The service has most likely lost the rotation, for example because it was restored from a " +
			"backup, or failed over to a replica that lagged behind.",
		done: "The provider now treats the token that the service shows as the current one.",
		next: "Anything that uses the newer token is locked out. Apply, so that everything that takes the token from " +
			"the state gets the working token. If you rotated the token because it had leaked, rotate it again. " +
			"If the next refresh shows the newer token again, a cache is returning old responses, or a replica of the " +
			"service lags far behind.",
	},
	usergroup.OtherSpelling: {
		title: "The service spells the ID %q differently",
		means: "The request was about {asked}, and the response is about {answered}. The team_id or the token " +
			"shows that it is the same group.",
		done: "The provider accepted the response.",
		next: "In new configurations, set user_group_id to the ID that the service returns.",
	},
	usergroup.RunEnded: {
		title: "User group %q was left unchanged",
		means: "An earlier error ended the run: {cause}.",
	},
}

// words are texts about a finding, like those in findingWords.
type words struct{ means, done, next string }

// specialWords are for findings that mean something else, or call for something else, in some cases. The first case
// counts.
var specialWords = []struct {
	finding usergroup.Finding
	when    func(explanation) bool
	words
}{
	{
		usergroup.NotFound, func(p explanation) bool { return p.Operation == usergroup.LookUp && p.Known.Existed() },
		words{means: noGroup, done: "The refresh removes the group from the state."},
	},
	{
		usergroup.NotFound, of(usergroup.Delete),
		words{means: noGroup, done: "The group is no longer in the state."},
	},
	{
		usergroup.NotFound, of(usergroup.Create),
		words{means: noGroup, next: runAgain},
	},
	{
		usergroup.NotFound, func(p explanation) bool { return p.Known.Existed() },
		words{means: noGroup, next: "If the group was deleted elsewhere, plan again: the new plan proposes to create it."},
	},
	{
		usergroup.Exists, func(p explanation) bool { return p.AfterDeletion },
		words{
			means: "This run deleted the group or found that it was gone, but the service shows a group with this ID. " +
				"Either the service still shows the group that is gone, or another client has created a new group.",
			done: "Nothing else was changed. No group with this ID is in the state.",
			next: "Run again in a minute. If the service still has the group by then, import it, or set " +
				"adopt_existing = true to take it over.",
		},
	},
	{
		usergroup.Exists, func(p explanation) bool { return p.Empty },
		words{
			means: "The service already has a group with this ID. The group " + showsNothing + ". " + mayBeEmpty,
			done:  "Nothing was changed, and nothing was added to the state.",
			next: "Set adopt_existing = true to take the group over. If the group is used for something else, choose another " +
				"user_group_id.",
		},
	},
	{
		usergroup.MayHaveExisted, func(p explanation) bool { return p.AfterDeletion },
		words{
			means: "The response to the create was lost or incomplete. The service shows a group with this ID. The service " +
				"may still be showing the group that this run deleted.{differences}",
			done: "It is not known whether the group was created. Nothing was added to the state.",
			next: "Run again in a minute. If the service has a group with this ID by then, the next run adopts it (with " +
				"adopt_existing = true), or reports that it already exists and says what to do.",
		},
	},
	{
		usergroup.Replaced, func(p explanation) bool { return p.Operation == usergroup.Adopt && p.Done == usergroup.Yes },
		words{
			means: "The update reached a different group{other} instead of the group that was to be adopted. " + mayHaveCreated +
				replacement,
			done: "Nothing was added to the state.",
			next: adoptAgain,
		},
	},
	{
		usergroup.Replaced, of(usergroup.Adopt),
		words{
			means: "The service shows a different group{other} instead of the one that was to be adopted. " + replacement,
			next:  adoptAgain,
		},
	},
	{
		usergroup.Replaced, func(p explanation) bool { return p.Operation == usergroup.Update && p.Done == usergroup.Yes },
		words{
			means: "The expected group has team_id {known.team_id}. The update reached the group with team_id " +
				"{response.team_id} instead. " + mayHaveCreated + replacement,
			done: "The state still has the expected group.",
			next: planAgain,
		},
	},
	{
		usergroup.Replaced, func(p explanation) bool { return !p.Known.Existed() },
		words{
			means: "Two responses show different groups under this ID. " + replacement,
			next:  "Check the API key, then run again.",
		},
	},
	{
		usergroup.Replaced, func(p explanation) bool { return p.Known.TeamID == nil || p.Response.TeamID == nil },
		words{
			means: "The service shows a group under this ID that is not the expected one: its token is different, and it " +
				showsNothing + ". " + replacement,
			next: planAgain,
		},
	},
	{
		usergroup.AnsweredFromCache, func(p explanation) bool { return p.subject().Operation == usergroup.CheckService },
		words{
			means: "The provider created a test group, but a response about this group contradicts that. The response is " +
				"most likely an old one from a cache, such as a caching proxy.",
			next: "Turn off caching for the address of the service, then run again.",
		},
	},
	{
		usergroup.AnotherRemains, func(p explanation) bool { return p.Empty },
		words{
			means: groupIsGone + " That group " + showsNothing + ". " + mayBeEmpty,
			done:  "The other group was not touched.",
		},
	},
	{
		usergroup.MayBeLeftBehind, func(p explanation) bool { return p.Done == usergroup.Yes },
		words{
			means: "Looking up a missing group creates it. Before the deletion, the response to a lookup was lost.",
		},
	},
	{
		usergroup.MayBeLeftBehind, of(usergroup.Create),
		words{means: leftBehind, next: runAgain},
	},
	{
		usergroup.MayBeLeftBehind, func(p explanation) bool { return p.Known.Existed() },
		words{means: leftBehind, next: "Run again: the next plan shows the group as it is now."},
	},
}

func of(operation usergroup.Operation) func(explanation) bool {
	return func(p explanation) bool { return p.Operation == operation }
}

const (
	noGroup    = "The service has no group with this ID."
	leftBehind = "Looking up a missing group creates it, and a response to a lookup was lost. The service has a " +
		"group with this ID. The group " + showsNothing + "."
	groupIsGone = "Either the group that Terraform managed is gone, or the API key belongs to another environment. " +
		"Another group{other} has this ID."
	showsNothing = "shows no properties, and no name other than its ID"
	mayBeEmpty   = "It may be an empty group that an earlier lookup left behind."
	replacement  = "Either the group was deleted and another one created in its place, or the API key belongs to " +
		"another environment."
	mayHaveCreated = "Some services create a group on an update, so this update may have created it. "
	planAgain      = "Check the API key, then plan again: the plan shows the group as it is now. To stop managing the " +
		"group without deleting it, run `terraform state rm`."
	adoptAgain = "Check the API key, then run again: the next run adopts the group that it finds."
)
