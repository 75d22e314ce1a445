package emulator_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

type opts = emulator.Options

// Calls of the tests. empty, remove and rotate are about the group acme, and n does not exist.
const (
	lookUp  = `GET {"user_group_id":"acme"}`
	create  = `GET {"user_group_id":"n"}`
	empty   = `PUT {"user_group_id":"acme"}`
	rotate  = `POST {"current_token":"tok"}`
	remove  = `DELETE {"current_token":"tok"}`
	unknown = `POST {"current_token":"never"}`
	notText = `GET {"user_group_id":1}`
	same    = `PUT {"user_group_id":"acme","name":"Acme","mapping":{"b":"2","a":"1"},"properties":{"q":{"x":1},"p":1}}`
)

// all are the optional fields of a GET and a PUT.
var all = []string{"name", "mapping", "properties"}

// options has a row for each option, and for each of its values. After the calls, the last response and what is stored
// contain what is wanted.
var options = []struct {
	options opts
	calls   string
	want    string
}{
	{opts{Answers: emulator.AnswersEcho}, empty, `"name":null,"provided_id":"acme","properties":null`},
	{opts{Updates: emulator.UpdatesMerge}, `PUT {"user_group_id":"acme","mapping":{"b":"9"}}`, `{"a":"1","b":"9"} {"p"`},
	{
		opts{Updates: emulator.UpdatesMerge},
		`PUT {"user_group_id":"acme","properties":{"q":{"y":9007199254740993},"r":null}}`,
		`{"p":1,"q":{"y":9007199254740993},"r":null}`,
	},
	{opts{Updates: emulator.UpdatesClear}, empty, `acme 7 tok "" null ` + "\n"},
	{opts{Refusals: emulator.RefusalsSuccessZero}, unknown, `200 {"success":0,`},
	{opts{Refusals: emulator.RefusalsFields}, notText, `400 {"user_group_id":["is not a string"]}`},
	{opts{Refusals: emulator.RefusalsFields}, unknown, `404 {"non_field_errors":["current_token is not the`},
	{opts{Refusals: emulator.RefusalsPage}, unknown, "<title>404 Not Found</title></head><body>current_token is"},
	{opts{Deletions: emulator.DeletionsNoContent}, remove, "204 \n"},
	{opts{Deletions: emulator.DeletionsObject}, remove, "200 {}\n"},
	{opts{DeletedIDs: emulator.DeletedIDsGone}, remove + "; " + lookUp, `410 {"success":0,`},
	{opts{DeletedIDs: emulator.DeletedIDsRevived}, remove + "; " + lookUp, found},
	{
		opts{DeletedIDs: emulator.DeletedIDsRevivedAsNew},
		remove + "; " + lookUp,
		`"new_user_group":true,"user_group":{"team_id":7,"token":"tok","name":"Acme"`,
	},
	{opts{Required: all[:1]}, lookUp, `400 {"success":0,"message":"the field name is missing`},
	{opts{RequiredToUpdate: all[:1], MissingStatus: 500}, empty, "500 Content-Type: text/html; charset=utf-8 <!DOCTYPE"},
	{opts{RequiredToCreate: all[:1]}, create, `400 {"success":0,"message":"the field name is missing`},
	{opts{Required: all, MissingStatus: 422}, lookUp, `422 {"success":0,"message":"the field name is missing`},
	{opts{Required: all}, `GET {"user_group_id":"acme","name":"N"}`, `400 {"success":0,"message":"the field mapping is`},
	{
		opts{Required: all[2:]},
		`GET {"user_group_id":"acme","name":"N","mapping":{}}`,
		`400 {"success":0,"message":"the field properties is missing`,
	},
	{opts{RequiredToUpdate: all}, empty, `400 {"success":0,"message":"the field name is missing`},
	{opts{RequiredToCreate: all}, create, `400 {"success":0,"message":"the field name is missing`},
	{
		opts{RequiredToCreate: all, UpsertOnPut: true},
		`PUT {"user_group_id":"n","name":"N"}`,
		`400 {"success":0,"message":"the field mapping is missing`,
	},
	{opts{DataSourceRequired: true}, remove, "the field data_source_provided_id is missing"},
	{opts{UniqueNames: true}, `GET {"user_group_id":"n","name":"Acme"}`, `409 {"success":0,`},
	{opts{CutNames: 3}, `PUT {"user_group_id":"acme","name":"Zoë & Co"}`, `acme 7 tok "Zoë"`},
	{opts{IDPattern: "^[0-9]+$"}, lookUp, `400 {"success":0,"message":"the field user_group_id must match ^[0-9]+$"}`},
	{opts{MaxGroups: 2}, create + `; GET {"user_group_id":"m"}`, `402 {"success":0,"message":"the account has as many`},
	{opts{CountsChangedRows: true}, empty, absent},
	{opts{CountsChangedRows: true}, same, absent},
	{opts{CountsChangedRows: true, Updates: emulator.UpdatesClear}, same, absent},
	{opts{BusyStatus: 423, BusyDeletions: 2}, remove + "; " + remove, `423 {"success":0,"message":"the user group is in`},
	{opts{BusyStatus: 409, BusyDeletions: 1, BusyRetryAfter: 7}, remove, "409 Retry-After: 7 {"},
	{opts{RepeatsRequests: true, RequiredToUpdate: all}, empty, `the request was {\"user_group_id\":\"acme\"`},
	{opts{RepeatsRequests: true, RequiredToUpdate: all}, empty, ", and the token is tok"},
	{opts{StaleTokenStatus: 401}, unknown, `401 {"success":0,`},
	{opts{UpsertOnPut: true}, `PUT {"user_group_id":"n","name":"N"}`, `n 1001 new-token "N"`},
	{opts{GetOverwrites: true}, `GET {"user_group_id":"acme","name":"N"}`, `acme 7 tok "N" null ` + "\n"},
	{opts{ForgivingDeletes: true}, `DELETE {"user_group_id":"n"}`, done},
	{opts{ForgivingDeletes: true}, `DELETE {"user_group_id":"acme","current_token":"never"}`, done + "\n"},
	{
		opts{ForgivingRotations: true},
		unknown,
		`200 {"success":1,` + values{"token": `"new-token"`}.in(inRotation),
	},
	{opts{ReuseTeamIDs: true}, create + `; DELETE {"user_group_id":"n"}; ` + create, `"team_id":1001,`},
	{opts{FirstTeamID: 9007199254740993}, create, `"team_id":9007199254740993,`},
	{opts{TextTeamIDs: true}, lookUp, `"team_id":"t-0007",`},
	{opts{StaleRotations: true}, rotate, `"team_id":7,"token":"tok",`},
	{opts{EmptyIsAbsent: true}, `PUT {"user_group_id":"acme","name":"","mapping":{},"properties":{}}`, before},
	{opts{DefaultName: "Group {id}"}, create, `"name":"Group n"`},
	{opts{DefaultProperties: `{"plan":"free"}`}, create, `"properties":{"plan":"free"}`},
	{opts{DefaultName: "N", LateDefaults: true}, create + "; " + create, `"name":"N"`},
	{opts{StaleUpdates: true}, empty + "; " + `PUT {"user_group_id":"acme","name":"New"}`, `"name":"Acme"`},
	{opts{RenewingUpdates: true}, empty, `"token":"new-token"`},
	{
		opts{DerivedTokens: true},
		create + `; DELETE {"user_group_id":"n"}; ` + create,
		`"token":"ugt_820d5d8baf762ec66dcd56fed15c78bf"`,
	},
	{opts{Omit: []string{"team_id"}}, lookUp, `"user_group":{"token":"tok",`},
	{opts{OmitZero: true}, lookUp, `{"success":1,"user_group":{"team_id":7,`},
	{opts{OmitZero: true}, create, `"token":"new-token","provided_id":"n"}}`},
	{opts{OmitZero: true}, unknown, `404 {"message"`},
	{opts{UpperIDs: true}, lookUp, `"provided_id":"ACME"`},
	{opts{PlainIDs: true}, `GET {"user_group_id":"a-b"}`, `"provided_id":"a_b"`},
	{opts{Environments: map[string]string{emulator.DefaultKey: ""}}, empty, `"api_environment_tag":null`},
	{opts{SlashRedirect: 308}, lookUp, "308 Location: /api/user/ {"},
}

// TestOptions also checks that each row fails without its options, so that no row passes by chance.
func TestOptions(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]bool{}
	for _, option := range []string{
		"DeletionDelay", "Latency", "Log", "RateLimit", "RateLimitStatus", "ReplicaLag", "RotationDelay", "RotationTime",
		"SameTeamIDs", "SignedTokens", "TokenLag",
	} {
		elsewhere[option] = true
	}
	for _, test := range options {
		for i, options := range []opts{test.options, {}} {
			w := newWorld(t, options)
			var last string
			for _, call := range strings.Split(test.calls, "; ") {
				last = w.ask(call)
			}
			if got := last + "\n" + w.stored(); strings.Contains(got, test.want) != (i == 0) {
				t.Errorf("%+v %s\ngot  %s\nwant %s", options, test.calls, got, test.want)
			}
		}
		for i, value := 0, reflect.ValueOf(test.options); i < value.NumField(); i++ {
			elsewhere[value.Type().Field(i).Name] = elsewhere[value.Type().Field(i).Name] || !value.Field(i).IsZero()
		}
	}
	for option, tested := range elsewhere {
		if !tested {
			t.Error("no row sets ", option)
		}
	}
}

// TestLateDefaults: the response to a creation does not have what the service fills in.
func TestLateDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opts{DefaultName: "N", DefaultProperties: `{"plan":"free"}`, LateDefaults: true})
	w.matches("created", w.ask(create), `"name":null,"provided_id":"n","properties":null`)
	w.matches("looked up", w.ask(create), `"name":"N","provided_id":"n","properties":\{"plan":"free"\}`)
}

// TestSignedTokens: each response shows another token, and all of them are retired by one rotation.
func TestSignedTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opts{SignedTokens: true})
	token := regexp.MustCompile(`"token":"(tok\.\w+)"`)
	one, two := token.FindStringSubmatch(w.ask(lookUp)), token.FindStringSubmatch(w.ask(lookUp))
	if one == nil || two == nil || one[1] == two[1] {
		t.Fatalf("the tokens are %v and %v", one, two)
	}
	w.matches("with an earlier one", w.ask(`POST {"current_token":"`+one[1]+`"}`), `^200 .*"token":"new-token\.`)
	w.is("after the rotation", w.ask(`POST {"current_token":"`+two[1]+`"}`), stale)
	w.is("recorded", w.recorded().ID, "acme")
}
