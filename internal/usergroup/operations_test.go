package usergroup_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestOperations shows the calls of each operation as examples to read. TestHistories proves that they are safe.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, e := range []struct {
		name, scene string
		finding     usergroup.Finding // of the error or, without one, of the last warning
		calls       string            // with the faults that strike them
	}{
		{"a group that exists", "find/exists/stored", none, "GET"},
		{
			"a missing group leaves nothing behind", "find/absent/stored", usergroup.NotFound,
			"GET, GET test, GET test, DELETE test, GET, DELETE",
		},
		{
			"with an environment, the key is tested before something unknown is believed", "import/exists/stored/Customer",
			none, "GET test, PUT test, GET test, DELETE test, GET",
		},
		{
			"a wrong key ends the run", "import/exists/stored/Testing", usergroup.WrongKey,
			"GET test, PUT test, GET test, DELETE test",
		},
		{"another group leaves the state", "find/replaced/stored", usergroup.Replaced, "GET"},
		{
			"a group with a name was not made by a lookup that was lost", "import/exists/stored", usergroup.MayBePlaceholder,
			"GET lost after the work, GET",
		},
		{
			"one without a name may have been", "import/nameless/stored", usergroup.MayBePlaceholder,
			"GET lost after the work, GET",
		},
		{
			"a name is sent if the service wants one", "find/absent/name required", usergroup.NotFound,
			"GET, GET test, GET test, DELETE test, GET, DELETE",
		},
		{
			"each attempt to delete a placeholder follows a look", "find/absent/stored", usergroup.NotFound,
			"GET, GET test, GET test, DELETE test, GET, DELETE 503, GET, DELETE",
		},
		{"a cache deletes nothing", "find/exists/stored", usergroup.Mismatched, "GET a cache by address"},
		{"a new group", "create/absent/stored", none, "GET"},
		{"nothing is adopted unasked", "create/exists/stored", usergroup.Exists, "GET"},
		{"an adoption looks twice, and does not rotate", "adopt/exists/stored", usergroup.Adopted, "GET, GET, PUT"},
		{"a new group without a token is looked up, and not adopted", "adopt/absent/stored", none, "GET no token, GET"},
		{
			"a lost creation is claimed on evidence", "create/absent/stored", usergroup.Claimed,
			"GET lost after the work, GET, GET",
		},
		{
			"a group that does not show what was sent is not", "create/exists/stored", usergroup.MayHaveExisted,
			"GET lost before the work, GET, GET",
		},
		{
			"a stopped run looks up what it may have created", "create/absent/stored", usergroup.Claimed,
			"GET lost after the work, GET the run is stopped, GET",
		},
		{"an update", "update/exists/stored", none, "PUT"},
		{"an update is sent again", "update/exists/stored", none, "PUT lost after the work, PUT"},
		{"a rotation", "rotate/exists/stored", none, "POST"},
		{"a lost rotation is looked up, and not repeated", "rotate/exists/stored", none, "POST lost after the work, GET"},
		{
			"nor if it was not done", "rotate/exists/stored", usergroup.CallFailed,
			"POST lost before the work, GET, GET, GET, GET, GET",
		},
		{"a rotation without a token is not repeated", "rotate/exists/stored", none, "POST no token, GET"},
		{"a stale token is looked up", "rotate/stale/stored", none, "POST, GET, POST"},
		{"a token that is not stored", "rotate, not stored/exists/stored", none, "GET, POST"},
		{"a deletion", "delete/exists/stored", none, "DELETE"},
		{
			"a deletion of what is gone", "delete/absent/stored", none,
			"DELETE, GET, GET test, GET test, DELETE test, GET, DELETE",
		},
		{
			"nor need the service say that it knows no such token", "delete/absent/stale 500", none,
			"DELETE, DELETE, DELETE, DELETE, DELETE, GET, GET test, GET test, DELETE test, GET, DELETE",
		},
		{"a deletion leaves another group under the ID", "delete/replaced/stored", usergroup.Replaced, "DELETE, GET"},
		{
			"after a lost deletion, a group with another token is not touched", "delete/exists/reused numbers",
			usergroup.CallFailed, "DELETE 500 after the work, DELETE another client takes, GET",
		},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sceneOf(e.scene).start().follow(t, e.calls, e.finding)
			})
		})
	}
}

// TestStrangers runs operations on services with habits that the contract does not exclude.
func TestStrangers(t *testing.T) {
	t.Parallel()
	missing := func(t *testing.T, s *stranger) {
		_, err := s.Find(t.Context(), usergroup.Prior{ID: "missing", Name: "Old"})
		if findingOf(err) != usergroup.NotFound || len(problemOf(err).Left) > 0 || len(s.emulator.Groups()) != 1 {
			t.Errorf("the lookup of a missing group: %v, %v", err, s.emulator.Groups())
		}
	}
	life := func(t *testing.T, s *stranger) {
		created, err := s.Create(t.Context(), wanted("acme"), false)
		if err != nil {
			t.Fatal(err)
		}
		prior := usergroup.Prior{ID: "acme", Name: newName, Instance: created.Instance}
		known := func(result usergroup.Result) usergroup.Prior {
			prior.TeamID, prior.Token = result.Group.TeamID, result.Group.Token
			prior.Fingerprint = prior.Token.Fingerprint()
			return prior
		}
		prior = known(created)
		if _, err = change(t.Context(), s.Service, wanted("acme"), prior); err != nil {
			t.Error(err)
		}
		rotated, err := rotate(t.Context(), s.Service, prior)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Find(t.Context(), known(rotated))
		if err != nil || len(found.Warnings) > 0 {
			t.Error(err, found.Warnings)
		}
		if _, err = s.Delete(t.Context(), known(found)); err != nil || len(s.emulator.Groups()) != 1 {
			t.Error(err, s.emulator.Groups())
		}
	}
	for name, e := range map[string]struct {
		options  emulator.Options
		settings usergroup.Settings
	}{
		"the ID as the default name": {options: emulator.Options{DefaultName: "{id}"}},
		"other defaults": {
			options: emulator.Options{DefaultName: "New", DefaultProperties: `{"plan":"free"}`},
		},
		"numbers that are used again":        {options: emulator.Options{ReuseTeamIDs: true}},
		"tokens signed anew":                 {options: emulator.Options{SignedTokens: true}},
		"neither number nor ID in responses": {options: emulator.Options{Omit: []string{"team_id", "provided_id"}}},
		"deletions without a body":           {options: emulator.Options{Deletions: emulator.DeletionsNoContent}},
		"deletions that say nothing":         {options: emulator.Options{Deletions: emulator.DeletionsObject}},
		"a name for a new group": {
			emulator.Options{RequiredToCreate: allFields[:1]}, usergroup.Settings{LookupFields: []string{"name"}},
		},
		"500 for a missing name": {
			emulator.Options{Required: allFields[:1], RequiredToUpdate: allFields[:1], MissingStatus: 500},
			usergroup.Settings{LookupFields: []string{"name"}},
		},
		"short columns":                       {options: emulator.Options{IDPattern: "^.{1,12}$"}},
		"IDs of letters and digits":           {options: emulator.Options{IDPattern: "^[a-z0-9]+$"}},
		"IDs without punctuation":             {options: emulator.Options{PlainIDs: true}},
		"columns too short for the preflight": {options: emulator.Options{IDPattern: "^.{1,10}$"}},
		"a data source for deletions": {
			emulator.Options{DataSourceRequired: true}, usergroup.Settings{DataSourceProvidedID: "warehouse"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				missing(t, newStranger(e.options, e.settings))
				life(t, newStranger(e.options, e.settings))
			})
		})
	}
}

// stranger is a service with odd habits, which has one group already.
type stranger struct {
	*usergroup.Service

	emulator *emulator.Emulator
}

func newStranger(options emulator.Options, settings usergroup.Settings) *stranger {
	s := &stranger{emulator: emulator.New(options)}
	s.emulator.Seed(emulator.Group{ID: "other", Name: "Other"})
	s.Service = newService(s, maxRetries, settings)
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *stranger) RoundTrip(r *http.Request) (*http.Response, error) {
	kept, _ := received(r)
	return serve(s.emulator, kept).response()
}

// TestOneNumberForAllGroups mixes up the responses to two groups of a service that shows one number for both. The
// number proves nothing then, so the ID in the response does.
func TestOneNumberForAllGroups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{}, usergroup.Settings{})
		theirs := s.emulator.Seed(emulator.Group{ID: "theirs", TeamID: 1001})
		ours := s.emulator.Seed(emulator.Group{ID: id, TeamID: 1001})
		body := fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":{"team_id":1001,"provided_id":"theirs",`+
			`"token":%q}}`, theirs.Token)
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost} {
			s.emulator.Fail(emulator.Fault{Method: method, Nth: 1, Kind: emulator.Answer, Body: body})
		}
		prior := operations["find"].priorOf(ours)
		for name, do := range map[string]func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error){
			"find": find, "update": update, "rotate": rotate,
		} {
			result, err := do(t.Context(), s.Service, prior)
			if result.Group != nil && result.Group.Token.Reveal() == theirs.Token {
				t.Errorf("%s: the token of another group was taken: %v", name, err)
			}
		}
	})
}

// TestOddAnswers checks what the provider believes of responses that prove nothing.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		options emulator.Options
		change  func(*stranger)
		do      func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error)
		finding usergroup.Finding
		left    int // groups at the service afterward, without the one that was there
	}{
		"a rotation that names no group": {
			emulator.Options{ForgivingRotations: true},
			func(s *stranger) { s.emulator.RotateBehind("acme") },
			rotate, none, 1, // It counts as a rotation by somebody else.
		},
		"an ID that is reserved": {
			emulator.Options{DeletedIDs: emulator.DeletedIDsGone},
			func(s *stranger) { s.emulator.Remove("acme") },
			find, usergroup.CallFailed, 0,
		},
		"another number and another token": {
			emulator.Options{}, func(s *stranger) { s.emulator.Replace("acme") }, find, usergroup.Replaced, 1,
		},
		"another number and the same token": {
			emulator.Options{}, func(s *stranger) {
				s.emulator.Change("acme", func(group *emulator.Group) { group.TeamID = 77 })
			}, find, none, 1,
		},
		"a token and a number that are used again": {
			emulator.Options{DerivedTokens: true, ReuseTeamIDs: true},
			func(s *stranger) { s.emulator.Remove("acme") },
			find, usergroup.Mismatched, 1,
		},
		"a deletion that needs a data source": {
			emulator.Options{DataSourceRequired: true},
			func(s *stranger) { s.emulator.Remove("acme") },
			find, usergroup.LeftBehind, 2, // the placeholder and the group of the preflight
		},
		"a group that neither number nor token identifies": {
			emulator.Options{SignedTokens: true, Omit: []string{"team_id"}},
			func(s *stranger) { s.emulator.Remove("acme") },
			find, usergroup.LeftBehind, 2, // nor that of the preflight
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStranger(e.options, usergroup.Settings{})
				created, err := s.Create(t.Context(), wanted("acme"), false)
				if err != nil {
					t.Fatal(err)
				}
				token := created.Group.Token
				e.change(s)
				result, err := e.do(t.Context(), s.Service, usergroup.Prior{
					ID: "acme", Name: newName, TeamID: created.Group.TeamID, Token: token, Fingerprint: token.Fingerprint(),
				})
				if got := findingOf(err); got != e.finding || err != nil && result.Group != nil {
					t.Errorf("finding %q, want %q: %v", got, e.finding, err)
				}
				if left := s.emulator.Groups(); len(left) != e.left+1 {
					t.Errorf("at the service: %v", left)
				}
				isOurs := e.finding == usergroup.LeftBehind || e.finding == usergroup.Mismatched
				for _, group := range s.emulator.Groups() {
					if isOurs && group.ID != "other" && !namesLeft(problemsOf(err, nil), group.ID) {
						t.Errorf("%s is left behind, and nothing says so", group.ID)
					}
				}
			})
		})
	}
}

// TestUpdatesSendTheNameThatIsDemanded updates a mapping where the service demands names. The update sends its own name
// or, without one, that of the state. An unknown one is not sent: it would be emptied.
func TestUpdatesSendTheNameThatIsDemanded(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		own         *string
		known, sent string
	}{
		"its own":           {new(newName), oldName, `"name":"` + newName + `",`},
		"that of the state": {nil, oldName, `"name":"` + oldName + `",`},
		"an unknown one":    {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStranger(emulator.Options{}, usergroup.Settings{LookupFields: allFields[:1]})
				prior := operations["update"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
				prior.Name = e.known
				wanted := api.GroupRequest{UserGroupID: id, Name: e.own, Mapping: map[string]string{"a": "b"}}
				if _, err := change(t.Context(), s.Service, wanted, prior); err != nil {
					t.Error(err)
				}
				calls := s.emulator.Calls()
				want := `{"user_group_id":"acme",` + e.sent + `"mapping":{"a":"b"}}`
				if len(calls) != 1 || calls[0].Method != http.MethodPut || string(calls[0].Body) != want {
					t.Errorf("the calls are %v, and the first one sends %s", calls, calls[0].Body)
				}
				group, _ := s.emulator.Group(id)
				if group.Name != *cmp.Or(e.own, new(oldName)) || group.Mapping["a"] != "b" {
					t.Errorf("the service has %+v", group)
				}
			})
		})
	}
}

// TestEchoesAreNotClaimed loses the first response to a creation, where another one has the group already and the
// service shows only what a request has. A lookup that shows what it has sent proves nothing.
func TestEchoesAreNotClaimed(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		wanted api.GroupRequest
		fields []string
	}{
		"nothing but the ID":           {wanted: api.GroupRequest{UserGroupID: id}},
		"the name that lookups send":   {api.GroupRequest{UserGroupID: id, Name: new(id)}, allFields[:1]},
		"the mapping that no one sees": {wanted: api.GroupRequest{UserGroupID: id, Mapping: map[string]string{"a": "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				settings := usergroup.Settings{LookupFields: e.fields}
				s := newStranger(emulator.Options{Answers: emulator.AnswersEcho}, settings)
				theirs := s.emulator.Seed(emulator.Group{ID: id, Name: "Theirs"})
				calls := 0
				service := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					response, err := s.RoundTrip(r)
					if calls++; calls == 1 {
						return lost.response()
					}
					return response, err
				}), maxRetries, settings)
				result, err := service.Create(t.Context(), e.wanted, false)
				p := problemOf(err)
				if findingOf(err) != usergroup.MayHaveExisted || p.Done != api.Maybe || result.Group != nil || calls != 3 {
					t.Errorf("after %d calls: %v, %v", calls, result.Group, err)
				}
				if group, _ := s.emulator.Group(id); group.Name != theirs.Name || len(s.emulator.Groups()) != 2 {
					t.Errorf("at the service: %v", s.emulator.Groups())
				}
			})
		})
	}
}

// TestEchoesSayNothing looks a group up where lookups have to send a name and properties, and the service shows only
// what a request has. Otherwise, the plan would never settle, and an import would show the ID as the name.
func TestEchoesSayNothing(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"find", "import"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				settings := usergroup.Settings{LookupFields: []string{"name", "properties"}}
				s := newStranger(emulator.Options{Answers: emulator.AnswersEcho}, settings)
				prior := operations[operation].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
				found, err := s.Find(t.Context(), prior)
				if err != nil {
					t.Fatal(err)
				}
				if found.Group.Name != nil || !found.Group.Properties.IsZero() {
					t.Errorf("the name is %q, and properties are shown: %v", *found.Group.Name, !found.Group.Properties.IsZero())
				}
			})
		})
	}
}

// TestPreflightsWithoutIDs looks up a missing group where responses show no IDs. The preflight has to know its own
// group by the name that it has given.
func TestPreflightsWithoutIDs(t *testing.T) {
	t.Parallel()
	demanding := allFields[1:]
	for name, options := range map[string]emulator.Options{
		"stored":                {},
		"echo":                  {Answers: emulator.AnswersEcho},
		"fields demanded":       {Required: demanding},
		"fields demanded, echo": {Required: demanding, Answers: emulator.AnswersEcho},
		"defaults":              {DefaultName: "Group {id}", DefaultProperties: `{"a":1}`, Required: allFields[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				options.Omit = []string{"provided_id"}
				s := newStranger(options, usergroup.Settings{Environment: "Customer", LookupFields: options.Required})
				_, err := s.Find(t.Context(), usergroup.Prior{ID: "missing"})
				if findingOf(err) != usergroup.NotFound || len(s.emulator.Groups()) != 1 {
					t.Errorf("%v; %v", err, s.emulator.Groups())
				}
			})
		})
	}
}

// TestThePreflightSendsAllFields: a service may demand each of them, in a creation and in an update.
func TestThePreflightSendsAllFields(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		options := emulator.Options{RequiredToCreate: allFields, RequiredToUpdate: allFields}
		s := newStranger(options, usergroup.Settings{Environment: "Customer"})
		if _, err := s.Find(t.Context(), usergroup.Prior{ID: "other"}); err != nil {
			t.Error(err)
		}
		for _, call := range s.emulator.Calls() {
			isChange := call.Method == http.MethodPut || call.Created
			hasAll := regexp.MustCompile(`"name":"Terraform \w{8}","mapping":{},"properties":{}}$`).Match(call.Body)
			if isChange && !hasAll {
				t.Errorf("%s sends %s", call.Method, call.Body)
			}
		}
	})
}

// TestThePreflightKnowsItsGroup, although the service fills in what it was sent empty, and shows that only later.
// Nobody else knows its ID.
func TestThePreflightKnowsItsGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{
			EmptyIsAbsent: true, DefaultProperties: `{"plan":"free"}`, LateDefaults: true, OmitZero: true,
		}, usergroup.Settings{})
		_, err := s.Find(t.Context(), usergroup.Prior{ID: "other"}) // new_user_group is missing, so the preflight follows.
		if err != nil || len(s.emulator.Groups()) != 1 || len(s.emulator.Calls()) != 4 {
			t.Errorf("%v; %v; %v", err, s.emulator.Groups(), s.emulator.Calls())
		}
	})
}

// TestTokensOfEarlierResponsesAreHidden: a refusal repeats a token that an earlier response of the operation has shown.
func TestTokensOfEarlierResponsesAreHidden(t *testing.T) {
	t.Parallel()
	const token = "ugt_0123456789abcdef"
	busy := reply{status: http.StatusBadRequest, body: []byte(`{"success":0,"message":"session ` + token + ` is busy"}`)}
	shown := func(body string) reply {
		return reply{status: http.StatusOK, body: []byte(strings.Replace(body, "TOKEN", token, 1))}
	}
	exists := shown(`{"success":1,"new_user_group":false,"user_group":{"team_id":1,"token":"TOKEN"}}`)
	for name, e := range map[string]struct {
		do      func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error)
		answers []reply
	}{
		"an adoption": {create(true), []reply{exists, busy}},
		"a placeholder": {
			find, []reply{shown(`{"success":1,"new_user_group":true,"user_group":{"team_id":1,"token":"TOKEN"}}`), busy},
		},
		"a rotation":              {rotate, []reply{shown(`{"success":1,"user_group":{"token":"TOKEN"}}`), busy}},
		"after one more response": {rotate, []reply{shown(`{"success":1,"user_group":{"token":"TOKEN"}}`), lost, busy}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := emulator.New(emulator.Options{})
				answers := e.answers
				s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					kept, body := received(r)
					if isOfPreflight(body) || len(answers) == 0 {
						return serve(service, kept).response()
					}
					answer := answers[0]
					answers = answers[1:]
					return answer.response()
				}), maxRetries, usergroup.Settings{})
				old := api.NewSecret("ugt_fedcba9876543210")
				_, err := e.do(t.Context(), s, usergroup.Prior{
					ID: id, TeamID: "1", Token: old, Fingerprint: old.Fingerprint(),
				})
				for _, p := range problemsOf(err, nil) {
					if p.Call != nil && strings.Contains(p.Call.Said(), token) {
						t.Error(p.Call.Said())
					}
				}
				if err == nil {
					t.Error("it succeeded")
				}
			})
		})
	}
}

// TestATakenNameIsSaidAtOnce: a conflict is a decision of the service, unless something is deleted.
func TestATakenNameIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error){
		"create": create(false), "update": update,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls, begun := 0, time.Now()
				s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					connect(r)
					calls++
					return refusal(http.StatusConflict).response()
				}), maxRetries, usergroup.Settings{})
				_, err := do(t.Context(), s, usergroup.Prior{ID: id})
				if calls != 1 || time.Since(begun) > 0 || problemOf(err).Call.Kind != api.Refused {
					t.Errorf("%d calls, %s: %v", calls, time.Since(begun), err)
				}
			})
		})
	}
}

// TestLookupsWithinAnAdoptionSayNoOtherThingThanIt: if the service renews tokens with each update, an adoption looks
// the group up once more. What that says does not contradict the adoption, and if it fails, the error says that the
// token is another one.
func TestLookupsWithinAnAdoptionSayNoOtherThingThanIt(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		lost    int // responses to the last lookup
		options emulator.Options
		finding usergroup.Finding
	}{
		"signed tokens, a lost look": {1, emulator.Options{SignedTokens: true}, none},
		"signed tokens, all looks are lost": {
			1 + maxRetries, emulator.Options{SignedTokens: true}, usergroup.UnexpectedToken,
		},
		"no tokens but new ones": {0, emulator.Options{SignedTokens: true}, none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &stranger{emulator: emulator.New(e.options)}
				s.emulator.Seed(emulator.Group{ID: id, Name: oldName})
				isUpdated, left := false, e.lost
				s.Service = newService(roundTrip(func(r *http.Request) (*http.Response, error) {
					response, err := s.RoundTrip(r)
					isUpdated = isUpdated || r.Method == http.MethodPut
					if isUpdated && r.Method == http.MethodGet && left > 0 {
						left--
						return lost.response()
					}
					return response, err
				}), maxRetries, usergroup.Settings{})
				result, err := s.Create(t.Context(), wanted(id), true)
				var findings []string
				for _, p := range problemsOf(err, result.Warnings) {
					findings = append(findings, string(p.Finding))
					if p.Done != api.Yes || p.Operation != usergroup.Adopt {
						t.Errorf("%s", facts{p})
					}
				}
				want := "UnexpectedToken Adopted"
				if e.finding != none {
					want = string(e.finding)
				}
				if got := strings.Join(findings, " "); got != want || findingOf(err) != e.finding {
					t.Errorf("it says %s, want %s: %v", got, want, err)
				}
			})
		})
	}
}

// TestACreationWithoutATokenNamesDifferences: the lookup that finds the token shows what the service has made of the
// group, too.
func TestACreationWithoutATokenNamesDifferences(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{CutNames: 4}, usergroup.Settings{})
		s.emulator.Fail(emulator.Fault{Method: http.MethodGet, Nth: 1, Kind: emulator.NoToken})
		result, err := s.Create(t.Context(), wanted(id), false)
		if err != nil || len(result.Warnings) != 1 || result.Warnings[0].Finding != usergroup.NotTakenAsSent {
			t.Errorf("%v, %v", err, result.Warnings)
		}
	})
}
