package usergroup_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestProofs shows what proves a belief, and what an operation does without a proof. Each case is a sentence: in this
// scene, these calls strike these faults, and that is what the operation says.
func TestProofs(t *testing.T) {
	t.Parallel()
	for _, e := range []struct {
		name, scene, calls string
		finding            usergroup.Finding // of the error or, without one, of the last warning
		done               api.Done          // as the error or that warning says
		left               string            // what may remain at the service, where tf is the group of the preflight
		// state has what the state has in place of the group's values, and want checks what else is to be seen.
		state func(*usergroup.Prior)
		want  func(*testing.T, *history)
	}{
		// A group is missing.
		{
			name:  "a deletion succeeds if the group was gone, and names what a lost lookup may have left",
			scene: "delete/absent/stored", calls: "DELETE, GET lost after the work, GET", finding: usergroup.Replaced,
			left: "acme",
		},
		{
			name:  "a missing ID is not imported because its second look is refused",
			scene: "import/absent/echo", calls: "GET, GET test, GET test, DELETE test, GET 400", finding: usergroup.CallFailed,
			left: "acme",
		},
		{
			name:  "nor because a service that says success 0 refuses it",
			scene: "import/absent/success 0", calls: "GET, GET test, GET test, DELETE test, GET 403",
			finding: usergroup.CallFailed, left: "acme",
		},
		{
			name:  "a gateway that refuses its lookup says nothing about it",
			scene: "rotate, not stored/exists/stored", calls: "GET, POST lost before the work, GET 403 of a gateway",
			finding: usergroup.CallFailed, done: api.Maybe,
		},
		{
			name:  "a key that is refused from the beginning says nothing about the group",
			scene: "import/exists/stored", calls: "GET 403", finding: usergroup.CallFailed,
		},
		{
			name:  "one that is refused after a lookup may not create the group, which is missing then",
			scene: "rotate, not stored/exists/stored", calls: "GET, POST lost before the work, GET 403",
			finding: usergroup.CallFailed, done: api.Maybe,
		},
		{
			name:  "a lookup that is not new, but shows no token, has left nothing",
			scene: "find/exists/stored", calls: "GET no token", finding: usergroup.CallFailed,
		},
		{
			name:  "nor has a lost one, if the next shows the known token",
			scene: "find/exists/echo", calls: "GET lost after the work, GET", finding: none,
		},
		{
			name:  "nor one that shows the group which this run has created",
			scene: "create/absent/stored", calls: "GET no token, GET lost after the work, GET", finding: none,
		},
		{
			name:    "but a lost one may have, if only an earlier lookup has shown the group: somebody may have deleted it",
			scene:   "rotate, not stored/exists/stored",
			calls:   "GET, POST lost before the work" + strings.Repeat(", GET lost after the work", 1+maxRetries),
			finding: usergroup.CallFailed, done: api.Maybe, left: "acme",
		},

		{
			name:  "nothing is missing because a cache shows it as new twice",
			scene: "import/exists/stored", calls: "GET a cache by body, GET test, GET test, DELETE test, GET",
			finding: usergroup.Mismatched, left: "acme",
		},

		{
			name:  "a name that the service makes of the ID does not show that somebody has given it",
			scene: "import/absent/stored", calls: "GET lost after the work, GET a name made of the ID",
			finding: usergroup.MayBePlaceholder, left: "acme",
			want: func(t *testing.T, h *history) {
				if h.actor.err == nil {
					t.Error("it was imported")
				}
			},
		},
		{
			name:    "a lookup that got no response may create the group later, although its placeholder was deleted",
			scene:   "find/absent/stored",
			calls:   "GET late, GET, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound, left: "acme",
		},

		// A placeholder is ours.
		{
			name:  "one whose response lacks the token is deleted with the token of the next lookup",
			scene: "find/absent/stored", calls: "GET no token, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:  "a group without an ID is not taken for that of the preflight",
			scene: "find/absent/no IDs", calls: "GET, GET test, GET test response to another lookup",
			finding: usergroup.LeftBehind, left: "acme tf",
		},
		{
			name:    "a placeholder whose second look lacks the token is not deleted",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET no token",
			finding: usergroup.CallFailed, left: "acme",
		},
		{
			name:  "that of the preflight is not deleted because it is shown as new twice",
			scene: "find/absent/stored", calls: "GET, GET test, GET test response to its creation",
			finding: usergroup.Mismatched, left: "acme tf",
		},
		{
			name:    "nor is the known group, if a cache shows it in place of the placeholder",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET response to the creation of the known one",
			finding: usergroup.Mismatched, left: "acme",
		},
		{
			name:    "nothing is deleted if nobody has answered the preflight",
			scene:   "find/absent/stored",
			calls:   "GET" + strings.Repeat(", GET test lost before the work", 1+maxRetries),
			finding: usergroup.CallFailed, left: "acme tf",
		},
		{
			name:  "nor if it was answered without a group",
			scene: "find/absent/stored", calls: "GET, GET test a success without a group",
			finding: usergroup.CallFailed, left: "acme tf",
		},
		{
			name:    "a placeholder is not deleted if its second look shows another ID",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET another ID",
			finding: usergroup.Mismatched, left: "acme",
		},
		{
			name:  "nor because the preflight was answered for another group",
			scene: "find/absent/stored", calls: "GET, GET test response to another creation",
			finding: usergroup.Mismatched, left: "acme tf",
		},
		{
			name:  "or for one that existed",
			scene: "find/absent/stored", calls: "GET, GET test response to another lookup",
			finding: usergroup.Mismatched, left: "acme tf",
		},
		{
			name:  "which shows even without an ID that it is not the one of the preflight",
			scene: "find/absent/no IDs", calls: "GET, GET test response to another lookup",
			finding: usergroup.Mismatched, left: "acme tf",
		},
		{
			name:    "a lost first call of the preflight may have left a group",
			scene:   "find/absent/stored",
			calls:   "GET, GET test lost before the work, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound, left: "tf",
		},
		{
			name:    "which is named beside a group that was found",
			scene:   "import/exists/stored/Customer",
			calls:   "GET test lost before the work, GET test, PUT test, GET test, DELETE test, GET",
			finding: usergroup.LeftBehind, left: "tf",
		},
		{
			name:    "a live group is found after a lost lookup, although its token was rotated elsewhere",
			scene:   "rotate/stale/stored",
			calls:   "POST, GET lost before the work, GET, POST",
			finding: none,
		},
		{
			name:    "a preflight whose response lacks the token passes if lookups show its number",
			scene:   "find/absent/stored",
			calls:   "GET, GET test no token, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:    "a placeholder that somebody has taken meanwhile is not deleted after a rate limit",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET, DELETE 429, GET another client takes",
			finding: usergroup.LeftBehind, left: "acme",
		},
		{
			name:    "nor is one that shows the known number",
			scene:   "find/absent/reused numbers",
			calls:   "GET, GET test, GET test, DELETE test, GET another client takes",
			finding: usergroup.LeftBehind, left: "acme",
		},
		{
			name:    "nor is one that the service itself may have filled in",
			scene:   "import/absent/defaults that show later",
			calls:   "GET, GET test, GET test, DELETE test, GET",
			finding: usergroup.LeftBehind, left: "acme",
		},
		{
			name:    "nor after a connection that was not made",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET, DELETE no connection, GET another client takes",
			finding: usergroup.LeftBehind, left: "acme",
		},
		{
			name:    "one is deleted, although it has the token of the group before it",
			scene:   "find/absent/derived tokens",
			calls:   "GET, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:    "nor is it gone after an empty success, if the service says success to other deletions",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET, DELETE an empty success, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:    "a deletion that succeeds in other words is looked up once, and is not sent again",
			scene:   "delete/exists/stored",
			calls:   "DELETE success in other words, GET, GET test, GET test, DELETE test, GET, DELETE",
			finding: none,
		},
		{
			name:    "so is that of a placeholder",
			scene:   "find/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test, GET, DELETE success in other words, GET, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:    "nor is the group of the state",
			scene:   "delete/exists/stored/Customer",
			calls:   "GET, GET test, PUT test, GET test, DELETE test, DELETE an empty success, GET, DELETE",
			finding: none,
		},
		{
			name:    "a busy placeholder is looked at, and deleted later",
			scene:   "find/absent/busy deletions",
			calls:   "GET, GET test, GET test, DELETE test, GET test, DELETE test, GET, DELETE, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:    "so is one whose deletion comes too early, whatever the status is",
			scene:   "find/absent/deletions that come too early",
			calls:   "GET, GET test, GET test, DELETE test, GET test, DELETE test, GET, DELETE, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:  "a refusal after a deletion that may have been carried out is looked at, too",
			scene: "find/absent/stored",
			calls: "GET, GET test, GET test, DELETE test, " +
				"GET, DELETE 500 after the work, GET, GET, DELETE 403, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:    "what the preflight of a deletion leaves behind is named",
			scene:   "delete/absent/stored",
			calls:   "DELETE, GET, GET test, GET test, DELETE test 403",
			finding: usergroup.LeftBehind, left: "acme tf",
		},
		{
			name:    "so is that of a rotation",
			scene:   "rotate, not stored/absent/stored",
			calls:   "GET, GET test, GET test, DELETE test 403",
			finding: usergroup.LeftBehind, left: "acme tf",
		},
		{
			name:    "and that of a claim",
			scene:   "create/absent/false left out",
			calls:   "GET lost after the work, GET, GET test, GET test, DELETE test 403",
			finding: usergroup.LeftBehind, done: api.Maybe, left: "tf",
		},

		{
			name:    "and that of a lookup, whose own group may be new, too",
			scene:   "import/exists/false left out",
			calls:   "GET, GET test, GET test, DELETE test 403",
			finding: usergroup.LeftBehind, left: "acme tf",
		},

		// This token is the current one, and a rotation was or was not carried out.
		{
			name:  "a redirect of a rotation says nothing about the token",
			scene: "rotate/exists/stored", calls: "POST 303 after the work, GET", finding: none,
		},
		{
			name:  "nor does a response from a cache",
			scene: "rotate/exists/stored", calls: "POST an old response, GET", finding: none,
		},
		{
			name:  "nor does a response that shows the token which was sent",
			scene: "rotate/exists/the sent token in the response", calls: "POST, GET", finding: none,
		},
		{
			name:  "nor does one that names no group",
			scene: "rotate/exists/no numbers", calls: "POST an empty ID, GET", finding: none,
		},
		{
			name:  "but the known number does, where responses show no ID",
			scene: "rotate/exists/no IDs", calls: "POST", finding: none,
		},
		{
			name:  "a rotation that takes effect later is waited for",
			scene: "rotate/exists/rotations that take effect later", calls: "POST, GET, GET, GET, GET", finding: none,
		},
		{
			name:  "a slow rotation is waited for, and never sent again",
			scene: "rotate/exists/slow rotations", calls: "POST, GET, GET, GET, GET, GET", finding: none,
		},
		{
			name:  "lookups may lag behind a rotation whose response was lost",
			scene: "rotate/exists/a replica", calls: "POST 500 after the work, GET, GET, GET", finding: none,
		},
		{
			name:  "the token of another group is not taken for the new one",
			scene: "rotate/exists/stored", calls: "POST response about another group, GET", finding: none,
		},
		{
			name:  "a group whose number is known is not said to be empty, although a lookup was lost",
			scene: "rotate/exists/stored", calls: "POST lost after the work, GET lost after the work, GET", finding: none,
		},
		{
			name:  "a rotation that a lookup shows was made, whatever else is said",
			scene: "rotate/stale/stored/Customer, noted",
			calls: "GET, GET test lost before the work, GET test, PUT test, GET test, DELETE test, " +
				"POST lost after the work, GET",
			finding: usergroup.LeftBehind, done: api.Yes, left: "tf",
		},
		{
			name:  "a token that a lookup has shown is not looked up again",
			scene: "rotate, not stored/exists/stored", calls: "GET, POST 403", finding: usergroup.CallFailed,
		},
		{
			name:  "a rotation that is answered with another number is an error, and returns the token",
			scene: "rotate/exists/stored", calls: "POST another number", finding: usergroup.Replaced, done: api.Yes,
			want: func(t *testing.T, h *history) {
				if group, _ := h.Group(id); h.actor.result.Group == nil || h.actor.result.Group.Token.Reveal() != group.Token {
					t.Error("the new token is lost")
				}
			},
		},
		{
			name:  "so is one that is answered with a number from before the lookup",
			scene: "rotate, not stored/exists/stored", calls: "GET, POST another number", finding: usergroup.Replaced,
			done: api.Yes, state: func(p *usergroup.Prior) { p.TeamID = "1" },
		},

		// An update was carried out.
		{
			name:  "a response that shows the group of before causes a warning",
			scene: "update/exists/the group of before in the response", calls: "PUT", finding: usergroup.NotTakenAsSent,
			done: api.Yes,
		},
		{
			name:  "an empty ID is not another one",
			scene: "find/exists/stored", calls: "GET an empty ID", finding: none,
		},
		{
			name:  "a group with another ID is not believed to be the known one, whatever its token",
			scene: "find/exists/stored", calls: "GET another ID", finding: usergroup.Mismatched,
		},
		{
			name:  "a success that names no group may be about one that is missing",
			scene: "update/absent/stored", calls: "PUT a success without a group", finding: usergroup.CallFailed,
			done: api.Maybe,
		},
		{
			name:  "an update that is answered for another group may have been carried out",
			scene: "update/exists/stored", calls: "PUT response about another group", finding: usergroup.Mismatched,
			done: api.Maybe,
		},
		{
			name:  "an update that changes nothing is carried out if a lookup shows that",
			scene: "update/alike/rows counted", calls: "PUT, GET", finding: none,
		},
		{
			name:  "so is the update of an adoption",
			scene: "adopt/alike/rows counted", calls: "GET, GET, PUT, GET", finding: usergroup.Adopted, done: api.Yes,
		},
		{
			name:  "one is refused if the lookup shows something else",
			scene: "update/exists/stored", calls: "PUT 404, GET", finding: usergroup.CallFailed,
		},
		{
			name:  "an update of a missing group is not",
			scene: "update/absent/rows counted", calls: "PUT, GET, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound,
		},
		{
			name:  "a refused update stays one if the lookup that follows fails",
			scene: "update/absent/stored", calls: "PUT, GET 400", finding: usergroup.CallFailed,
			want: func(t *testing.T, h *history) {
				if call := problemOf(h.actor.err).Call; call.Method != http.MethodPut || call.Status != http.StatusNotFound {
					t.Errorf("the error is about %s", call)
				}
			},
		},
		{
			name:    "a refused update of the preflight says nothing about the key",
			scene:   "import/exists/stored/Customer",
			calls:   "GET test, PUT test 403, GET test, DELETE test",
			finding: usergroup.CallFailed,
		},
		{
			name:  "the preflight changes the name that it has given",
			scene: "import/exists/rows counted/Customer", calls: "GET test, PUT test, GET test, DELETE test, GET", finding: none,
		},
		{
			name:  "a refusal that says when to try again is repeated, whatever its status is",
			scene: "update/exists/stored", calls: "PUT 403 with Retry-After, PUT", finding: none,
		},

		// A group was created.
		{
			name:  "an adoption after one's own lost creation does not say that the group existed",
			scene: "adopt/absent/stored", calls: "GET lost after the work, GET, GET, PUT", finding: usergroup.Claimed,
			done: api.Yes,
		},
		{
			name:  "a creation whose response lacks the token looks for it",
			scene: "create/absent/stored", calls: "GET no token, GET", finding: none,
		},
		{
			name:  "which it knows by the number, whatever the service has made of the properties",
			scene: "create/absent/stored", calls: "GET no token, GET other properties",
			finding: usergroup.NotTakenAsSent, done: api.Yes,
		},
		{
			name:  "also in a run that is stopped",
			scene: "create/absent/stored", calls: "GET the run is stopped and the token left out, GET", finding: none,
		},
		{
			name:  "so does a claim",
			scene: "create/absent/stored", calls: "GET lost after the work, GET the run is stopped, GET",
			finding: usergroup.Claimed, done: api.Maybe,
		},
		{
			name:  "which does not take a group with another number for it",
			scene: "create/absent/stored", calls: "GET lost after the work, GET, GET another client replaces",
			finding: usergroup.Replaced, done: api.Maybe,
		},
		{
			name:  "which it knows by what was sent, where there are no numbers",
			scene: "create/absent/no numbers", calls: "GET no token, GET", finding: none,
		},
		{
			name:  "so that another one is not taken for it",
			scene: "create/absent/no numbers", calls: "GET no token, GET another client replaces",
			finding: usergroup.MayHaveExisted, done: api.Yes,
		},
		{
			name:  "and says that the group was created if it finds none",
			scene: "create/absent/stored", calls: "GET no token, GET no token", finding: usergroup.CallFailed, done: api.Yes,
		},
		{
			name:  "a creation that shows other properties warns, and was done",
			scene: "create/absent/stored", calls: "GET other properties", finding: usergroup.NotTakenAsSent, done: api.Yes,
		},
		{
			name:  "so does one that shows another name",
			scene: "create/absent/stored", calls: "GET another name", finding: usergroup.NotTakenAsSent, done: api.Yes,
		},
		{
			name:    "an adoption whose group goes meanwhile is a creation",
			scene:   "adopt/exists/stored",
			calls:   "GET, GET another client deletes and the token left out, GET",
			finding: none,
		},
		{
			name:    "an adoption that finds its group gone at the end says so",
			scene:   "adopt/exists/updates that renew tokens",
			calls:   "GET, GET, PUT, GET another client deletes, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound, done: api.Yes,
		},
		{
			name:  "an adoption that is refused is not sent again",
			scene: "adopt/exists/stored", calls: "GET 403", finding: usergroup.CallFailed,
		},
		{
			name:  "an adoption needs a response with the token",
			scene: "adopt/exists/stored", calls: "GET, GET no token", finding: usergroup.CallFailed,
		},
		{
			name:    "a replacement does not adopt the group that it has deleted",
			scene:   "replace/exists/deletions that take effect later",
			calls:   "DELETE, GET",
			finding: usergroup.Exists,
		},
		{
			name:  "it adopts one that has only its number",
			scene: "replace/exists/reused numbers", calls: "DELETE, GET another client takes, GET, PUT",
			finding: usergroup.Adopted, done: api.Yes,
		},
		{
			name:  "what is new is not the group that was deleted, although it has its token and its number",
			scene: "replace/exists/derived tokens and reused numbers", calls: "DELETE, GET", finding: none,
		},
		{
			name:    "a response without new_user_group is about a group that existed, if a new one says so",
			scene:   "import/exists/false left out",
			calls:   "GET, GET test, GET test, DELETE test",
			finding: none,
		},
		{
			name:  "or if it shows the known token",
			scene: "find/exists/false left out", calls: "GET", finding: none,
		},
		{
			name:    "but nothing is known of one that says so to no creation",
			scene:   "import/exists/stored",
			calls:   "GET no mark, GET test lost after the work, GET test, GET test, DELETE test",
			finding: usergroup.CallFailed, left: "acme tf",
		},
		{
			name:  "what a service demands of lookups is sent",
			scene: "find/absent/all fields required", calls: "GET, GET test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.NotFound,
		},

		// A group was deleted.
		{
			name:  "a deletion names the group that a lost lookup of it may create later",
			scene: "delete, not stored/stale/stored", calls: "GET lost after the work, GET, DELETE",
			finding: usergroup.LeftBehind, done: api.Yes, left: "acme", state: func(p *usergroup.Prior) { p.TeamID = "" },
		},
		{
			name:    "a refusal does not show that an earlier deletion was not carried out",
			scene:   "delete/exists/no numbers",
			calls:   "DELETE 500 before the work, DELETE 403, GET",
			finding: usergroup.CallFailed, done: api.Maybe,
		},

		{
			name:    "but a look shows what a refusal after it means, also if another look has shown the token",
			scene:   "delete, not stored/exists/stored",
			calls:   "GET, DELETE 500 after the work, DELETE, GET, GET test, GET test, DELETE test, GET, DELETE",
			finding: none,
		},
		{
			name:    "no lookup tells more about one that came too early, until no retries are left",
			scene:   "delete/exists/stored",
			calls:   "DELETE 429" + strings.Repeat(", DELETE 429", maxRetries),
			finding: usergroup.CallFailed,
		},

		// The key opens the expected environment.
		{
			name:    "a known token of a known environment proves the key, and a full account can go on",
			scene:   "rotate/exists/a full account/Customer, noted",
			calls:   "GET, POST",
			finding: none,
		},
		{
			name:  "without a known environment, it proves nothing",
			scene: "find/exists/stored/Customer", calls: "GET", finding: none,
			want: func(t *testing.T, h *history) {
				if environment := h.actor.result.Environment; environment != "" {
					t.Errorf("the state would have the environment %q", environment)
				}
			},
		},
		{
			name:  "it can update",
			scene: "update/exists/a full account/Customer, noted", calls: "GET, PUT", finding: none,
		},
		{
			name:  "and delete",
			scene: "delete/exists/a full account/Customer, noted", calls: "GET, DELETE", finding: none,
		},
		{
			name:    "the look that proves the key also shows the token to send",
			scene:   "rotate/stale/stored/Customer, noted",
			calls:   "GET, GET test, PUT test, GET test, DELETE test, POST",
			finding: none,
		},
		{
			name:    "unless it shows one that was replaced",
			scene:   "rotate/exists/stored/Customer, noted",
			calls:   "GET, POST, GET",
			finding: usergroup.OutdatedToken,
			state: func(p *usergroup.Prior) {
				p.Previous, p.RotatedAt = p.Fingerprint, time.Now()
				p.Token = api.NewSecret("the-token-after-the-rotation")
				p.Fingerprint = p.Token.Fingerprint()
			},
		},
		{
			name:  "so can a service that refuses the ID of the preflight",
			scene: "update/exists/IDs with a pattern/Customer, noted", calls: "GET, PUT", finding: none,
		},
		{
			name:  "no group is changed where IDs come back in capitals",
			scene: "rotate/exists/IDs in capitals/Customer", calls: "GET", finding: usergroup.Mismatched,
		},
		{
			name:    "with a wrong key, a group with the same ID and number is not taken for the known one",
			scene:   "find/exists/equal numbers/Testing, noted",
			calls:   "GET, GET test, PUT test, GET test, DELETE test",
			finding: usergroup.WrongKey,
		},
		{
			name:    "nor is one where there are no numbers",
			scene:   "find/exists/no numbers/Testing, noted",
			calls:   "GET, GET test, PUT test, GET test, DELETE test",
			finding: usergroup.WrongKey,
		},
		{
			name:    "nor is one that has the same token, because tokens follow from the ID",
			scene:   "find/exists/derived tokens/Testing, noted",
			calls:   "GET, GET test, PUT test, GET test, DELETE test",
			finding: usergroup.WrongKey,
		},
		{
			name:    "nor is the known group said to be gone",
			scene:   "find/absent/stored/Testing, noted",
			calls:   "GET, GET test, PUT test, GET test, DELETE test, GET, DELETE",
			finding: usergroup.WrongKey,
		},
		{
			name:    "nor is another one rotated",
			scene:   "rotate, not stored/exists/equal numbers/Testing, noted",
			calls:   "GET, GET test, PUT test, GET test, DELETE test",
			finding: usergroup.WrongKey,
		},
		{
			name:  "a number that is used again is believed with the right key, too, which is not handled",
			scene: "find/replaced/reused numbers/Customer, noted",
			calls: "GET, GET test, PUT test, GET test, DELETE test", finding: none,
		},
		{
			name:    "a change that was answered with another environment is said to be done, and ends the run",
			scene:   "update/exists/stored/Customer, noted",
			calls:   "GET, PUT another tag",
			finding: usergroup.WrongEnvironment, done: api.Yes,
			want: func(t *testing.T, h *history) {
				if _, err := h.service.Find(t.Context(), usergroup.Prior{ID: "neighbor"}); problemOf(err) == nil ||
					problemOf(err).Finding != usergroup.RunEnded {
					t.Errorf("the next lookup ended with %v", err)
				}
			},
		},
		{
			name:  "a group that the state has in another environment costs no call",
			scene: "find/exists/stored/Customer, Testing is noted", finding: usergroup.WrongEnvironment,
		},
		{
			name:  "nor does its deletion",
			scene: "delete/exists/stored/Customer, Testing is noted", finding: usergroup.WrongEnvironment,
		},

		// The run was stopped.
		{
			name:  "a run that is stopped makes no other call",
			scene: "find/exists/stored", calls: "GET the run is stopped", finding: none,
		},
		{
			name:  "nor does it begin the preflight",
			scene: "find/stale/stored/Customer, noted", calls: "GET the run is stopped", finding: usergroup.CallFailed,
		},
		{
			name:  "a preflight that has begun removes its group",
			scene: "import/exists/stored/Customer", calls: "GET test the run is stopped, PUT test, GET test, DELETE test",
			finding: usergroup.CallFailed,
		},
		{
			name:  "a run that is stopped before an adoption adopts nothing",
			scene: "adopt/exists/stored", calls: "GET the run is stopped", finding: usergroup.CallFailed,
		},
		{
			name:  "a stopped run still looks whether a token was rotated",
			scene: "rotate/exists/stored", calls: "POST the run is stopped and the response lost, GET",
			finding: none,
		},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := sceneOf(e.scene).start()
				if e.state != nil {
					e.state(&h.actor.prior)
				}
				h.follow(t, e.calls, e.finding)
				if p := h.said(); p != nil && p.Done != e.done {
					t.Errorf("done is %d, want %d", p.Done, e.done)
				}
				if left := h.namedLeft(); left != e.left {
					t.Errorf("%q may remain, want %q", left, e.left)
				}
				if e.want != nil {
					e.want(t, h)
				}
				if h.check(); len(h.broken) > 0 {
					t.Errorf("\n%s", h.record)
				}
			})
		})
	}
}

// follow operates while the faults strike the calls, and compares the calls and the finding.
func (h *history) follow(t *testing.T, calls string, finding usergroup.Finding) {
	t.Helper()
	h.script = []string{}
	for call := range strings.SplitSeq(calls, ", ") {
		_, fault, _ := strings.Cut(call, " ")
		h.script = append(h.script, strings.TrimSpace(strings.TrimPrefix(fault, "test")))
	}
	h.operate(t.Context())
	if got := strings.Join(h.log, ", "); got != calls {
		t.Errorf("the calls are %s, want %s", got, calls)
	}
	got := none
	if p := h.said(); p != nil {
		got = p.Finding
	}
	if got != finding {
		t.Errorf("the finding is %q, want %q: %v", got, finding, h.actor.err)
	}
}

// said returns the problem that the error is or, without one, the last warning, or nil.
func (h *history) said() *usergroup.Problem {
	if h.actor.err != nil {
		return problemOf(h.actor.err)
	}
	if n := len(h.actor.result.Warnings); n > 0 {
		return h.actor.result.Warnings[n-1]
	}
	return nil
}

// namedLeft returns what all problems together say may remain, without the random part of an ID.
func (h *history) namedLeft() string {
	ids := []string{}
	for _, p := range problemsOf(h.actor.err, h.actor.result.Warnings) {
		for _, left := range p.Left {
			if isOfPreflight(left) {
				left = "tf"
			}
			if !strings.Contains(strings.Join(ids, " "), left) {
				ids = append(ids, left)
			}
		}
	}
	return strings.Join(ids, " ")
}
