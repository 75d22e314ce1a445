package emulator_test

import (
	"reflect"
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
	{emulator.Options{StaleTokenStatus: 401}, []string{`POST {"current_token":"never"}`}, `401 {"success":0,`},
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
}

// TestOptions also checks that each row fails without its options, so that no row passes by chance.
func TestOptions(t *testing.T) {
	elsewhere := map[string]bool{"TokenLag": true, "Latency": true, "RateLimit": true, "Log": true} // need time or a program
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
