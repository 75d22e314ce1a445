package emulator_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const (
	lookUp  = `GET {"user_group_id":"acme"}`
	lookUpN = `GET {"user_group_id":"n"}`
	rotate  = `POST {"current_token":"tok"}`
	remove  = `DELETE {"current_token":"tok"}`
	empty   = `PUT {"user_group_id":"acme"}`
	odd     = `PUT {"user_group_id":"acme","name":"N&u\r\nü",` +
		`"properties":{"inner":{"list":[{}],"null":null},"third":0.33333333333333333333,"z":1}}`
)

var (
	notText = []string{`GET {"user_group_id":1}`}
	unknown = []string{`POST {"current_token":"never"}`}
)

// options has a row for each option and each of its values. After the calls, the last response and what is stored then
// contain what is wanted.
var options = []struct {
	options emulator.Options
	calls   []string
	want    string
}{
	{emulator.Options{Answers: emulator.AnswersEcho}, []string{empty}, `"name":null,"provided_id":"acme","properties":null`},
	{
		emulator.Options{Updates: emulator.UpdatesMerge},
		[]string{`PUT {"user_group_id":"acme","mapping":{"b":"9"},"properties":{"q":{"y":9007199254740993},"r":null}}`},
		`{"a":"1","b":"9"} {"p":1,"q":{"y":9007199254740993},"r":null}`,
	},
	{emulator.Options{Updates: emulator.UpdatesClear}, []string{empty}, `acme 7 tok "" null ` + "\n"},
	{emulator.Options{Refusals: emulator.RefusalsSuccessZero}, []string{`PUT {"user_group_id":"n"}`}, `200 {"success":0,`},
	{emulator.Options{NameRequired: true}, []string{lookUp}, `400 {"success":0,"message":"the field name is missing`},
	{emulator.Options{UpsertOnPut: true}, []string{`PUT {"user_group_id":"n","name":"N"}`}, `n 1001 token-1 "N"`},
	{emulator.Options{ForgivingDeletes: true}, []string{`DELETE {"user_group_id":"n"}`}, done},
	{
		emulator.Options{ForgivingDeletes: true}, []string{`DELETE {"user_group_id":"acme","current_token":"never"}`},
		done + "\n", // nothing is stored
	},
	{emulator.Options{StaleTokenStatus: 401}, unknown, `401 {"success":0,`},
	{emulator.Options{TrimNames: true}, []string{`PUT {"user_group_id":"acme","name":" N "}`}, `acme 7 tok "N"`},
	{emulator.Options{Omit: []string{"team_id"}}, []string{lookUp}, `"user_group":{"token":"tok",`},
	{emulator.Options{FirstTeamID: 9007199254740993}, []string{lookUpN}, `"team_id":9007199254740993,`},
	{
		emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}}, []string{empty},
		`"api_environment_tag":null`,
	},
	{emulator.Options{NameRequired: true, MissingNameStatus: 500}, []string{empty}, "500 Content-Type: text/html"},
	{emulator.Options{NameRequiredToCreate: true}, []string{lookUpN}, `400 {"success":0,"message":"the field name is missing`},
	{emulator.Options{DataSourceRequired: true}, []string{remove}, "data_source_provided_id is missing"},
	{emulator.Options{UniqueNames: true}, []string{`GET {"user_group_id":"n","name":"Acme"}`}, `409 {"success":0,`},
	{emulator.Options{MaxIDLength: 3}, []string{lookUp}, "the field user_group_id is too long"},
	{emulator.Options{MaxNameLength: 3}, []string{`PUT {"user_group_id":"acme","name":"Änne"}`}, "the field name is too long"},
	{
		emulator.Options{MaxNameLength: 3, CutNames: true}, []string{`PUT {"user_group_id":"acme","name":"Änne"}`},
		`acme 7 tok "Änn"`,
	},
	{emulator.Options{Refusals: emulator.RefusalsDetail}, notText, `400 {"detail":"the field user_group_id is not`},
	{emulator.Options{Refusals: emulator.RefusalsFields}, notText, `400 {"user_group_id":["is not a string"]}`},
	{emulator.Options{Refusals: emulator.RefusalsFields}, unknown, `404 {"non_field_errors":["current_token is not the`},
	{emulator.Options{Refusals: emulator.RefusalsList}, notText, `400 ["the field user_group_id is not a string"]`},
	{
		emulator.Options{Refusals: emulator.RefusalsLocated}, notText,
		`422 {"detail":[{"loc":["body","user_group_id"],"msg":"is not a string","type":"value_error"}]}`,
	},
	{emulator.Options{Refusals: emulator.RefusalsLocated}, unknown, `404 {"detail":"current_token is not the`},
	{emulator.Options{Refusals: emulator.RefusalsText}, unknown, "404 Content-Type: text/plain; charset=utf-8 current_token is"},
	{emulator.Options{Refusals: emulator.RefusalsPage}, unknown, "<title>404 Not Found</title></head><body>current_token is"},
	{emulator.Options{DefaultName: "Group {id}"}, []string{lookUpN}, `"name":"Group n"`},
	{emulator.Options{DefaultProperties: `{"plan":"free"}`}, []string{lookUpN}, `"properties":{"plan":"free"}`},
	{emulator.Options{ReuseTeamIDs: true}, []string{lookUpN, `DELETE {"user_group_id":"n"}`, lookUpN}, `"team_id":1001,`},
	{emulator.Options{GetOverwrites: true}, []string{`GET {"user_group_id":"acme","name":"N"}`}, `acme 7 tok "N" null ` + "\n"},
	{
		emulator.Options{ForgivingRotations: true}, unknown, `{"success":1,"user_group":{"team_id":null,"token":"token-1",` +
			`"name":null,"provided_id":null,"api_environment_tag":null}}`,
	},
	{emulator.Options{DeletedIDs: emulator.DeletedIDsConflict}, []string{remove, lookUp}, `409 {"success":0,`},
	{emulator.Options{DeletedIDs: emulator.DeletedIDsGone}, []string{remove, lookUp}, `410 {"success":0,`},
	{
		emulator.Options{DeletedIDs: emulator.DeletedIDsRevived}, []string{remove, lookUp},
		`"new_user_group":false,"user_group":{"team_id":7,"token":"tok","name":"Acme"`,
	},
	{
		emulator.Options{DeletedIDs: emulator.DeletedIDsRevivedAsNew}, []string{remove, lookUp},
		`"new_user_group":true,"user_group":{"team_id":7,"token":"tok","name":"Acme"`,
	},
	{emulator.Options{EscapeNames: true}, []string{odd}, `"N&amp;u\r\nü"`},
	{emulator.Options{DecomposeNames: true}, []string{odd}, "u\u0308"},
	{emulator.Options{UnixLineEnds: true}, []string{odd}, `"N&u\nü"`},
	{emulator.Options{Doubles: true}, []string{odd}, `"third":0.3333333333333333,`},
	{emulator.Options{DropNulls: true}, []string{odd}, `"inner":{"list":[{}]},"third"`},
	{emulator.Options{EmptyLists: true}, []string{odd}, `"list":[[]]`},
	{emulator.Options{Deletions: emulator.DeletionsNoContent}, []string{remove}, "204 \n"},
	{emulator.Options{Deletions: emulator.DeletionsEmpty}, []string{remove}, "200 \n"},
	{emulator.Options{Deletions: emulator.DeletionsObject}, []string{remove}, "200 {}\n"},
	{emulator.Options{Tags: emulator.TagsObject}, []string{empty}, `"api_environment_tag":{"id":1,"name":"Customer"}`},
	{emulator.Options{Tags: emulator.TagsList}, []string{empty}, `"api_environment_tag":["Customer"]`},
	{emulator.Options{NoProperties: `""`}, []string{lookUpN}, `"properties":""`},
	{emulator.Options{BOM: true}, []string{remove}, "200 \ufeff{"},
	{emulator.Options{SlashRedirect: 308}, []string{lookUp}, "308 Location: /api/user/ {"},
}

// TestOptions also checks that each row fails without its options, so that no row passes by chance.
func TestOptions(t *testing.T) {
	elsewhere := map[string]bool{"Log": true, "TokenLag": true, "Latency": true, "RateLimit": true, "SignedTokens": true}
	for _, test := range options {
		for i, options := range []emulator.Options{test.options, {}} {
			w := newWorld(t, options)
			var last string
			for _, call := range test.calls {
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

// TestSignedTokens: each response shows another token, and all of them are retired by one rotation.
func TestSignedTokens(t *testing.T) {
	w := newWorld(t, emulator.Options{SignedTokens: true})
	token := regexp.MustCompile(`"token":"(tok\.\w+)"`)
	one, two := token.FindStringSubmatch(w.ask(lookUp)), token.FindStringSubmatch(w.ask(lookUp))
	if one == nil || two == nil || one[1] == two[1] {
		t.Fatalf("the tokens are %v and %v", one, two)
	}
	w.matches("with an earlier one", w.ask(`POST {"current_token":"`+one[1]+`"}`), `^200 .*"token":"token-1\.`)
	w.is("after the rotation", w.ask(`POST {"current_token":"`+two[1]+`"}`), stale)
	w.is("recorded", w.recorded().ID, "acme")
}
