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
