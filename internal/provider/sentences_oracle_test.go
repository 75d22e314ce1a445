package provider_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// sentence is a sentence of a message, as messages.go has it, and the conditions that must hold when it is said. A
// sentence without a condition says nothing that the ledger could contradict.
type sentence struct {
	says string
	when []condition
}

func row(says string, when ...condition) sentence { return sentence{says, when} }

// oracle has every sentence of the messages. TestEverySentenceHasARow finds those that it lacks.
var oracle = []sentence{
	// Titles.
	row("Cannot look up user group %q"),
	row("Cannot create user group %q"),
	row("Cannot adopt user group %q", existed),
	row("Cannot update user group %q"),
	row("Cannot rotate the token of user group %q"),
	row("Cannot delete user group %q"),
	row("Cannot test the service and the API key"),
	row("User group %q does not exist", not(existed)),
	row("User group %q already exists", existed),
	row("User group %q may have existed before", createIsUnknown),
	row("User group %q was replaced, or the API key is the wrong one", isAnother),
	row("A user group has an unexpected token"),
	row("The service returned a wrong response about user group %q"),
	row("Looking up user group %q may have created it", createIsUnknown),
	row("User group %q may remain after a lookup", couldNotDelete),
	row("A user group was not taken as it was sent"),
	row("The service shows an outdated token of user group %q"),
	row("User group %q is in another environment"),
	row("The API key does not belong to the expected environment", keyIsWrong),
	row("A user group was adopted", existed, isInState),
	row("User group %q is assumed to be the one just created", createIsUnknown, isInState),
	row("A user group was kept", exists),
	row("The provider has a bug", isNeverSaid),
	row("The provider is not configured yet", isNeverSaid),
	row("Please report this bug, with the steps to reproduce it.", isNeverSaid),

	// What was and was not done.
	row("No group was changed.", nothingWasChanged),
	row("None of your groups was changed.", nothingWasChanged),
	row("Nothing was changed, and nothing was added to the state.", nothingWasChanged, not(isInState)),
	row("If the group existed before, it was not changed.", groupWasNotChanged),
	row("No other group was touched.", groupWasNotChanged),
	row("The group was not created.", not(wasCreated)),
	row("The group was not updated.", not(wasUpdated)),
	row("The token was not rotated.", not(wasRotated)),
	row("The group was not deleted.", not(wasDeleted)),
	row("It is not known whether the group was created.", createIsUnknown),
	row("It is not known whether the group was updated.", updateIsUnknown),
	row("It is not known whether the token was rotated, so the old one may no longer work.", rotateIsUnknown),
	row("It is not known whether the group was deleted.", deleteIsUnknown),
	row("The group was created.", wasCreated),
	row("It is not in the state: import it.", wasCreated, not(isInState)),
	row("The group was updated.", wasUpdated),
	row("The group was updated to match this configuration.", matches),
	row("The provider did not rotate its token.", not(wasRotated)),
	row("The token was rotated.", hasOtherToken),
	row("The operation succeeded.", hasNotFailed),
	row("The group was deleted.", wasDeleted),
	row("A group with the ID %q may remain, if there was none: a lookup or the preflight may have created it.", mayRemain),
	row(`If no state has it, see "Remove an empty group" in the guide Troubleshooting.`),

	// What the state has.
	row("It stays in the state.", wasInState, isInState),
	row("It stays in the state; deleting it again does no harm.", wasInState, isInState, canRunAgain),
	row("Nothing was added to the state.", not(isInState)),
	row("It is not in the state.", not(isInState)),
	row("The group is in the state.", isInState),
	row("The group leaves the state.", wasInState, not(isInState)),
	row("The state has what was sent.", spellsAsConfigured),

	// What comes next.
	row("See the earlier error: %s.", wasSaid),
	row("The next plan sends again what the service does not show.", sendsValuesAgain),
	row("The service may still be at work on it, so wait some minutes.", rotateIsUnknown),
	row(rotateOnce, rotateIsUnknown, rotatesOnce),
	row("If the next run says that the group already exists, import it.", createIsUnknown),
	row("Plan again: the plan shows the group as it is now.", hasState),
	row("If Terraform manages the group, the state has the new token, or the next refresh reads it.", hasOtherToken),
	row("Run again.", canRunAgain),
	row("Wait some minutes before you run again.", canRunAgain),
	row("If the group should exist, run again.", canRunAgain),
	row("If the service fills in a field that is not sent, add the field to lookup_fields."),

	// What the service has shown.
	row("The service has no group with this ID.", not(existed)),
	row("The service already has a group with this ID.", existed),
	row("The service now has a group with this ID, and nothing proves that this run created it.", exists),
	row("The response to the create was lost or incomplete.", createIsUnknown),
	row("A response to the lookup was lost.", createIsUnknown),
	row("The group existed before, or that lookup has created it."),
	row("A response to the create was lost, so this run may have created the group, or it existed before.",
		createIsUnknown),
	row("It now has the name and properties that were sent.", hasWhatWasSent),
	row("The group already existed, and adopt_existing is true.", existed),
	row("From now on, destroying this resource deletes the group.", isInState),
	row("If you know that the group existed before, run `terraform state rm` rather than destroying it.", isInState),
	row("This run created or adopted the group anew, at this address or another one.", exists),
	row("Terraform manages it there.", exists),
	row("Another group has this user_group_id: both its team_id and its token differ.", isAnother),
	row("The service now shows another token than it should."),
	row("Somebody else may have rotated the token, or created the group again."),
	row("On a service that renews tokens with each update, or signs them anew with each response, nothing is wrong."),
	row("After an update, the state has the old token until the next apply."),
	row("The response is about another group than the request, or contradicts an earlier one."),
	row("The group was created only to look a group up or to test the service.", couldNotDelete),
	row("Nothing proves that nobody has taken it, or a request that was lost may create it again.", couldNotDelete),
	row("The service reported success, but its response shows something else than was sent, or what the group had " +
		"before."),
	row("The service shows a token that has or should have been replaced, as can happen shortly after a " +
		"rotation."),
	row("The preflight's test group shows the environment of the key.", keyIsWrong),
	row("The preflight, which tests the service with a group of its own, failed."),
	row("The team_id of the group was %s; the service shows %s."),
	row("The expected environment is %q; the group is in %q."),
	row("The expected environment is %q; the service shows %s."),
	row("The %s that was sent is %+q; the service shows %+q."),
	row("These properties differ: %+q."),

	// What to do. None of it is about what this run has shown to be right.
	row("Check the spelling of the ID, and that the API key belongs to the right environment.", not(existed)),
	row("Check that the ID and the API key are the right ones.", exists),
	row("To manage the group with Terraform, import it, or set adopt_existing = true to take it over.", exists),
	row("If another resource has the same user_group_id, remove one of the two."),
	row("If another run is just looking it up, run again."),
	row("If the group was just deleted, it may still be going: run again in a minute."),
	row("If the group is yours, import it, or set adopt_existing = true to take it over.", exists),
	row("Check the API key before you apply.", isAnother),
	row("If it is the right one, the group was deleted and created again elsewhere: import the new one, or set "+
		"adopt_existing = true.", isAnother),
	row("If the service changes IDs (case, spaces, length), write yours as it shows them."),
	row("Otherwise, look for a cache, and turn it off."),
	row("Turn off caching for the address of the service, then run again."),
	row("Until then, delete no group by hand: it may belong to a live customer."),
	row("If deletions need a data source, check data_source_provided_id.", deletionRefused),
	row("If the next plan shows a change, write in the configuration what the service keeps, without entities such as " +
		"&amp;."),
	row("A service that merges properties keeps those that are no longer sent: write each as null for one apply, as in " +
		"{ rows = null }."),
	row("Check that the API key and the provider's environment match the group's."),
	row("If the state has the group, `terraform state rm` stops managing it without deleting it.", hasState),
	row("Use an API key for the expected environment, or change the provider's environment.", keyIsWrong),
	row("If the service shows no environment, remove the argument.", keyIsWrong),
	row("If the service demands a field in every lookup, add the field to lookup_fields.", lookupRefused),
	row("If the service or a proxy has a certificate authority of its own, set ca_cert_pem."),
	row("Check base_url."),
	row("Check the scheme and port in base_url."),
	row("If the service asks for a certificate, set client_cert_pem."),
	row("If it speaks only HTTP/2, put a gateway in front of it that also speaks HTTP/1.1."),
	row("Check the proxy in HTTPS_PROXY, including its user name and password."),
	row("If something on the way drops the body of GET and DELETE requests, see the guide Network.", wasRefused),
	row("Some of these refuse GET and DELETE requests with a body: see the guide Network."),
	row("If it refuses many calls at once, set requests_per_second.", isForbidden),
	row("Nothing shows that this response comes from the service."),
	row("Check base_url, and what is in front of the service (a gateway, a firewall, a sign-in page)."),
	row("If the service itself responds so to an update, it has to return the group: running again cannot help."),
	row("If every call fails so, check base_url, especially its path."),
	row("Otherwise, fix what the service reports, then run again.", canRunAgain),
	row("If every response lacks this, running again cannot help: the service has to return it."),
	row("The response does not say why.", wasRefused),
	row("Look in the log of the service, then run again.", canRunAgain),
	row("If the service often takes this long, raise request_timeout or, if a gateway has given up, its limit."),
	row("The provider needs new_user_group to tell a new group from one that existed."),
	row("If running again does not help, the service has to return it."),
	row("If the service itself responds so, check api_key."),
	row("If it has a mapping, the next plan sends that again, because no response shows it."),
	row("Fix what the service reports, then run again.", wasRefused, canRunAgain),
	row("Run again later.", canRunAgain),
	row("Check api_key (EMBED_API_KEY): the key may be wrong, may have expired, or may lack a permission.", keyIsRefused),
	row("The service is limiting the rate of calls.", isLimited),
	row("The service cannot take more calls now.", isUnavailable),
	row("If the service has another address, set base_url to that address."),
	row("Otherwise, find out what redirects this call."),
	row("Check base_url, the network, and the proxy settings, then run again.", not(wasStopped)),
	row("Check base_url and the proxy settings, then run again.", not(wasStopped)),
}

// claim is a sentence that a diagnostic of a step says.
type claim struct {
	*step

	about  string // the ID of the group that the diagnostic is about
	whole  string // the whole diagnostic
	quoted []string
}

// condition is what must be true for a sentence to be said.
type condition struct {
	name  string
	holds func(claim) bool
}

func not(c condition) condition {
	return condition{"not: " + c.name, func(said claim) bool { return !c.holds(said) }}
}

// What the service did.
var (
	wasCreated = did("created")
	wasUpdated = did("updated")
	wasRotated = did("rotated")
	wasDeleted = did("deleted")

	createIsUnknown = isUnknown(http.MethodGet)
	updateIsUnknown = isUnknown(http.MethodPut)
	rotateIsUnknown = condition{
		"no response shows whether POST did its work, or lookups before and after a refusal have shown different tokens",
		func(said claim) bool { return isUnknown(http.MethodPost).holds(said) || len(said.shownTokens()) > 1 },
	}
	deleteIsUnknown = isUnknown(http.MethodDelete)

	nothingWasChanged = condition{"every group that existed is as it was", func(said claim) bool {
		return !slices.ContainsFunc(said.had, func(before emulator.Group) bool {
			now, is := said.group(said.has, before.ID)
			return said.tag == before.Environment && (!is || !reflect.DeepEqual(now, before))
		})
	}}
	groupWasNotChanged = condition{"the group, if it existed, is as it was", func(said claim) bool {
		before, was := said.group(said.had, said.about)
		now, is := said.group(said.has, said.about)
		return !was || is && reflect.DeepEqual(before, now)
	}}
	existed = condition{"the service had the group before", func(said claim) bool {
		_, was := said.group(said.had, said.about)
		return was
	}}
	exists = condition{"the service has a group with the ID", func(said claim) bool {
		_, is := said.group(said.has, said.about)
		return is
	}}
	// After a lost response, nothing tells a rotation from one by somebody else a moment before.
	hasOtherToken = condition{"the group has another token than the state had", func(said claim) bool {
		now, _ := said.group(said.has, said.about)
		isOther := said.isIn(said.state) && said.state.Get("token_fingerprint") != Fingerprint(now.Token)
		return wasRotated.holds(said) || isOther
	}}
	// A service may refuse an update that changes nothing.
	matches = condition{"the group was updated, or has what was sent", func(said claim) bool {
		return wasUpdated.holds(said) || hasWhatWasSent.holds(said)
	}}
	isAnother = condition{
		"the group has another number and another token than the one in the state",
		func(said claim) bool {
			now, _ := said.group(said.has, said.about)
			isOther := said.state.Get("team_id") != now.TeamID && said.state.Get("token_fingerprint") != Fingerprint(now.Token)
			return isOther || said.wasStruck("another group", "another number", "another token")
		},
	}
	mayRemain = condition{
		"the group with the quoted ID may be one that a lookup or the preflight has created",
		func(said claim) bool {
			_, was := said.group(said.had, said.quoted[0])
			made := slices.ContainsFunc(said.calls, func(call emulator.Call) bool {
				return call.Created && strings.EqualFold(call.ID, said.quoted[0])
			})
			return made || !was && createIsUnknown.holds(said) || was && lookupWasLost.holds(said)
		},
	}
	lookupWasLost = condition{"a response to a lookup did not show whether it created a group", func(said claim) bool {
		return createIsUnknown.holds(said)
	}}
	couldNotDelete = condition{
		"the group was created, and not deleted by a call whose response arrived",
		func(said claim) bool {
			return said.hasRemaining() || createIsUnknown.holds(said) || deleteIsUnknown.holds(said)
		},
	}
)

func did(what string) condition {
	return condition{"the group was " + what, func(said claim) bool { return said.did(what) }}
}

func (said claim) did(what string) bool {
	return slices.ContainsFunc(said.calls, func(call emulator.Call) bool {
		isOurs := said.about == "" || strings.EqualFold(call.ID, said.about)
		isOld := slices.ContainsFunc(said.had, func(g emulator.Group) bool { return g.TeamID == call.TeamID })
		return call.Did() == what && isOurs && isOld != call.Created // What is done to a placeholder does not count.
	})
}

func isUnknown(method string) condition {
	return condition{"no response shows whether " + method + " did its work", func(said claim) bool {
		return slices.ContainsFunc(said.answers, func(a answer) bool { return a.method == method && a.isDoubtful() })
	}}
}

// shownTokens returns the tokens that lookups have shown.
func (said claim) shownTokens() []string {
	var tokens []string
	for _, a := range said.answers {
		_, token, _ := strings.Cut(a.body, `"token":"`)
		token, _, _ = strings.Cut(token, `"`)
		if a.method == http.MethodGet && token != "" && !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

func (said claim) wasStruck(names ...string) bool {
	return slices.ContainsFunc(said.answers, func(a answer) bool { return slices.Contains(names, a.fault.name) })
}

// What the state has.
var (
	wasInState = condition{"the group was in the state", func(said claim) bool { return said.isIn(said.state) }}
	isInState  = condition{"the group is in the state", func(said claim) bool { return said.isIn(said.after) }}
	hasState   = condition{"the operation has a state", func(said claim) bool { return !said.act.noState }}
	hasNewest  = condition{"the state has the token that the service has now", func(said claim) bool {
		now, is := said.group(said.has, said.about)
		return is && said.isIn(said.after) && said.after.Get("token_fingerprint") == Fingerprint(now.Token)
	}}
	spellsAsConfigured = condition{"the state has the configured ID and name", func(said claim) bool {
		configured := said.config
		if configured == nil {
			configured = ByID(said.id)
		}
		name := configured["name"]
		return said.isIn(said.after) && said.after.Get("user_group_id") == configured["user_group_id"] &&
			(name == nil || said.after.Get("name") == name)
	}}
)

func (said claim) isIn(state State) bool { return !said.act.noState && !state.Value.IsNull() }

// What comes next.
var (
	wasSaid = condition{"this run has printed an error with that title", func(said claim) bool {
		return slices.Contains(said.earlier, said.quoted[0])
	}}
	canRunAgain = condition{
		"running again, without the fault, gives neither the same error nor an unannounced one",
		func(said claim) bool {
			if existed.holds(said) || len(said.remaining()) > 0 { // Otherwise, an error is announced.
				return true
			}
			for _, d := range said.runsAgain().List {
				isError := d.Severity == tfprotov6.DiagnosticSeverityError
				isSame := isError && said.whole == d.Summary+"\n"+d.Detail
				isUnannounced := strings.HasSuffix(d.Summary, "already exists") && !strings.Contains(said.whole, "import it")
				if isSame || isUnannounced {
					return false
				}
			}
			return true
		},
	}
	sendsValuesAgain = condition{"the next plan is to update", func(said claim) bool {
		return said.rig.p.Plan(said.after, said.config).Action == "update"
	}}
	rotatesOnce = condition{"running again rotates the token only if it was not rotated", func(said claim) bool {
		said.runsAgain()
		rotations := 0
		for _, call := range slices.Concat(said.calls, said.repeated) {
			if call.Rotated && call.ID == said.about {
				rotations++
			}
		}
		return !hasState.holds(said) || rotations <= 1
	}}
)

// What the failed call shows.
var (
	hasNotFailed = condition{"the act has no error, or is more than one operation", func(said claim) bool {
		return said.act.many || said.act.name == "update and rotate" || !said.said.HasError()
	}}
	wasStopped      = condition{"the run was stopped", func(said claim) bool { return said.stopped }}
	keyIsRefused    = hasStatus(http.StatusUnauthorized, http.StatusForbidden)
	isForbidden     = hasStatus(http.StatusForbidden)
	deletionRefused = condition{"a deletion was refused", func(said claim) bool {
		return slices.ContainsFunc(said.answers, func(a answer) bool {
			return a.method == http.MethodDelete && a.isRefusal()
		})
	}}
	lookupRefused = condition{"the service refused a lookup, or broke down", func(said claim) bool {
		return slices.ContainsFunc(said.answers, func(a answer) bool {
			return a.method == http.MethodGet && (a.isRefusal() || a.status == http.StatusInternalServerError)
		})
	}}
)

func hasStatus(wanted ...int) condition {
	return condition{
		fmt.Sprint("the message is about a response with one of the statuses ", wanted),
		func(said claim) bool {
			return slices.ContainsFunc(wanted, func(status int) bool {
				return strings.Contains(said.whole, fmt.Sprint(" status ", status))
			})
		},
	}
}

var (
	isNeverSaid = condition{"it is a bug", func(claim) bool { return false }}
	keyIsWrong  = condition{"the key does not open the expected environment", func(said claim) bool {
		return said.isWrong || said.wasStruck("another environment")
	}}
	hasWhatWasSent = condition{"the group has the configured name", func(said claim) bool {
		now, is := said.group(said.has, said.about)
		return is && now.Name == said.config["name"]
	}}
	wasRefused = condition{
		"a call was refused",
		func(said claim) bool {
			return slices.ContainsFunc(said.answers, answer.isRefusal)
		},
	}
	isLimited = condition{
		"a call came too early",
		func(said claim) bool {
			return said.wasStruck("429", "403 with Retry-After")
		},
	}
	isUnavailable = condition{"the service was not available", hasStatus(http.StatusServiceUnavailable).holds}
)

func (said claim) hasRemaining() bool { return len(said.remaining()) > 0 }
