package probe_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/probe"
)

type (
	fields  = map[string]json.RawMessage
	between = func(*http.Request, fields, func() *http.Response) *http.Response
)

// safe are the findings about the emulator without options. The other cases list what differs.
var safe = strings.Fields(`environment=expected create=yes update=yes rotate=yes delete=yes lookup=both
	lookup-name=works update-name=works unsent=kept properties=replaced mapping=unknown own-properties=none numbers=exact
	name=kept id-case=exact id-unicode=exact id-length=exact missing-update=refused stale-rotation=refused
	stale-deletion=refused fields=complete lag=none between=none connection=direct pace=none`)

// serviceCase is a service, and what the probe finds about it.
type serviceCase struct {
	options     emulator.Options
	fault       emulator.Fault
	between     between
	environment string // Testing, if empty
	differs     string
	// ends means that the probe ends early. Then differs lists all findings.
	ends bool
	// unsure means that the probe names a group that may be left, because a cache has shown it. leaves means that it
	// leaves a group and names it.
	unsure, leaves bool
	exit           int // if the probe does not end early
}

// cases returns an entry for each reading of the emulator, and for each finding that no reading leads to.
func cases() map[string]serviceCase {
	return map[string]serviceCase{
		"stored": {},
		"echo": {
			options: emulator.Options{Answers: emulator.AnswersEcho},
			differs: "lookup=nothing unsent=unknown properties=unknown own-properties=unknown numbers=unknown name=unknown",
		},
		"clear, name required": {
			options: emulator.Options{Updates: emulator.UpdatesClear, NameRequired: true},
			differs: "unsent=cleared lookup-name=refused update-name=refused", exit: 3,
		},
		"success 0":       {options: emulator.Options{Refusals: emulator.RefusalsSuccessZero}},
		"lower-case IDs":  {options: emulator.Options{IDs: emulator.IDsLowerCase}, differs: "id-case=same"},
		"upsert":          {options: emulator.Options{UpsertOnPut: true}, differs: "missing-update=creates"},
		"stale token 403": {options: emulator.Options{StaleTokenStatus: 403}, differs: "stale-rotation=unauthorized"},
		"stale token 500": {options: emulator.Options{StaleTokenStatus: 500}, differs: "stale-rotation=failed"},
		"trimmed names":   {options: emulator.Options{TrimNames: true}, differs: "name=changed"},
		"merges and adds": {
			options: emulator.Options{AddsProperty: true, Updates: emulator.UpdatesMerge},
			differs: "own-properties=added properties=merged",
		},
		"forgiving deletes, lagging reads": {
			options: emulator.Options{ForgivingDeletes: true, ReadLag: 2 * time.Second},
			differs: "stale-deletion=accepted lag=lags",
		},
		"lagging reads that clear": {
			options: emulator.Options{ReadLag: 5 * time.Second, Updates: emulator.UpdatesClear},
			differs: "lag=lags unsent=cleared", exit: 3,
		},
		"no name": {
			options: emulator.Options{Omit: []string{"name"}}, differs: "fields=missing lookup=properties name=unknown",
		},
		"no properties": {options: emulator.Options{Omit: []string{"properties"}}, differs: "fields=missing lookup=name " +
			"unsent=unknown properties=unknown own-properties=unknown numbers=unknown"},
		"no token":         {options: emulator.Options{Omit: []string{"token"}}, ends: true, differs: "fields=no-token"},
		"rate limit":       {options: emulator.Options{RateLimit: 5}, differs: "pace=some"},
		"key of customers": {options: keyOf("Customer"), ends: true, differs: "environment=other lookup-name=works"},
		"key of customers, and deletions need the token": {
			options: keyOf("Customer"), between: deletesByToken, ends: true, differs: "environment=other lookup-name=works",
		},
		"key of customers, named": {options: keyOf("Customer"), environment: "Customer"},
		"no environment":          {options: keyOf(""), ends: true, differs: "environment=not-shown lookup-name=works"},
		"no environment, named":   {options: keyOf(""), environment: probe.NoEnvironment, differs: "environment=none"},

		"gateway fails": {
			fault: emulator.Fault{Method: "POST", Nth: 2, Kind: emulator.Answer, Status: 502, Body: "<html>"}, ends: true,
			differs: "environment=expected create=yes update=yes rotate=yes lookup=both lookup-name=works fields=complete " +
				"between=none lag=none",
		},
		"may not create": {fault: refusal("GET", 0, 403), ends: true, differs: "create=no"},
		"may not update": {fault: refusal("PUT", 0, 403), ends: true, differs: "lookup-name=works update=no"},
		"may not rotate": {fault: refusal("POST", 0, 403), differs: "rotate=no lag= stale-rotation= stale-deletion="},
		"may not delete": {
			fault: refusal("DELETE", 0, 403), ends: true, leaves: true,
			differs: "environment=expected create=yes update=yes rotate=yes delete=no lookup=both lookup-name=works " +
				"update-name=works unsent=kept properties=replaced mapping=unknown own-properties=none numbers=exact name=kept " +
				"stale-rotation=refused stale-deletion=refused fields=complete lag=none between=none",
		},
		"odd names refused": {fault: refusal("PUT", 2, 400), differs: "name=refused"},
		"numbers are floats": {
			between: func(_ *http.Request, body fields, next func() *http.Response) *http.Response {
				var properties any
				if json.Unmarshal(body["properties"], &properties) == nil {
					body["properties"], _ = json.Marshal(properties)
				}
				return next()
			}, differs: "numbers=changed",
		},
		"IDs normalized": {between: changesIDs(norm.NFC.String), differs: "id-unicode=same"},
		"IDs cut": {
			between: changesIDs(func(id string) string { return id[:min(len(id), 100)] }), differs: "id-length=same", exit: 3,
		},
		"IDs refused": {between: refusesOddIDs, differs: "id-case=refused id-unicode=refused id-length=refused"},
		"a cache that knows a customer": {
			between: cachedCustomer("false"), ends: true, unsure: true, differs: cached,
		},
		"a cache that knows how a customer was created": {
			between: cachedCustomer("true"), ends: true, unsure: true, differs: "lookup-name=works",
		},
		"the same, and updates create": {
			options: emulator.Options{UpsertOnPut: true}, between: cachedCustomer("true"), ends: true, differs: cached,
		},
		"a cache that fills with the first update": {
			between: fromFirst(http.MethodPut, cachedCustomer("false")), ends: true, differs: cached + " environment=expected",
		},
		"a cache by body":  {between: cacheByBody(""), ends: true, differs: cached + " environment=expected"},
		"a cache with Age": {between: cacheByBody("7"), ends: true, differs: cached + " environment=expected"},
		"GET sent twice":   {between: twice("GET"), differs: "between=repeated", exit: 3},
		"POST sent twice": {
			between: twice("POST"), differs: "between=repeated rotate= lag= stale-rotation= stale-deletion=", exit: 3,
		},
		"old tokens rotate": {between: rotatesAnyToken(), differs: "stale-rotation=accepted"},
		"old tokens delete nothing": {
			between: func(r *http.Request, _ fields, next func() *http.Response) *http.Response {
				response := next()
				if r.Method == http.MethodDelete && response.StatusCode == http.StatusNotFound {
					return says(200, `{"success":1}`)
				}
				return response
			}, differs: "stale-deletion=ignored", exit: 3,
		},
		"connection through a proxy": {
			between: func(_ *http.Request, _ fields, next func() *http.Response) *http.Response {
				response := next()
				response.Header.Set("Via", "1.1 proxy")
				return response
			}, differs: "connection=passed",
		},
	}
}

// keyOf returns options by which the probe's key belongs to an environment.
func keyOf(environment string) emulator.Options {
	return emulator.Options{Environments: map[string]string{testingKey: environment}}
}

const cached = "between=cached lookup-name=works"

// cachedCustomer responds to every GET as the service once did to a GET of a customer's group.
func cachedCustomer(isNew string) between {
	return func(r *http.Request, _ fields, next func() *http.Response) *http.Response {
		if r.Method == http.MethodGet {
			return says(200, `{"success":1,"new_user_group":`+isNew+
				`,"user_group":{"team_id":1,"token":"ugt_acme","name":"Acme","provided_id":"acme"}}`)
		}
		return next()
	}
}

// fromFirst begins with the call after the first one with the method.
func fromFirst(method string, then between) between {
	begun := false
	return func(r *http.Request, body fields, next func() *http.Response) *http.Response {
		if begun {
			return then(r, body, next)
		}
		begun = r.Method == method
		return next()
	}
}

// deletesByToken refuses a deletion by the ID alone.
func deletesByToken(r *http.Request, body fields, next func() *http.Response) *http.Response {
	if r.Method == http.MethodDelete && body["current_token"] == nil {
		return says(400, `{"success":0}`)
	}
	return next()
}

// cacheByBody repeats the response to an equal GET, with an Age if that is not empty.
func cacheByBody(age string) between {
	kept := map[string]string{}
	return func(r *http.Request, body fields, next func() *http.Response) *http.Response {
		if r.Method != http.MethodGet {
			return next()
		}
		key := string(body["user_group_id"])
		if text, is := kept[key]; is {
			response := says(200, text)
			if age != "" {
				response.Header.Set("Age", age)
			}
			return response
		}
		text, _ := io.ReadAll(next().Body)
		kept[key] = string(text)
		return says(200, kept[key])
	}
}

// twice sends every call with the method twice, and returns the second response.
func twice(method string) between {
	return func(r *http.Request, _ fields, next func() *http.Response) *http.Response {
		if r.Method == method {
			next()
		}
		return next()
	}
}

// rotatesAnyToken is a service that takes the token of any rotation for the current one.
func rotatesAnyToken() between {
	var current json.RawMessage
	return func(r *http.Request, body fields, next func() *http.Response) *http.Response {
		if r.Method != http.MethodPost {
			return next()
		}
		if current != nil {
			body["current_token"] = current
		}
		text, _ := io.ReadAll(next().Body)
		var response struct {
			Group struct{ Token json.RawMessage } `json:"user_group"`
		}
		_ = json.Unmarshal(text, &response)
		current = response.Group.Token
		return says(200, string(text))
	}
}

func refusal(method string, nth, status int) emulator.Fault {
	return emulator.Fault{Method: method, Nth: nth, Kind: emulator.Answer, Status: status, Body: `{"success":0}`}
}

func changesIDs(change func(string) string) between {
	return func(_ *http.Request, body fields, next func() *http.Response) *http.Response {
		var id string
		if json.Unmarshal(body["user_group_id"], &id) == nil {
			body["user_group_id"], _ = json.Marshal(change(id))
		}
		return next()
	}
}

func refusesOddIDs(_ *http.Request, body fields, next func() *http.Response) *http.Response {
	if regexp.MustCompile(`[^a-z0-9-"]|.{66}`).Match(body["user_group_id"]) {
		return says(400, `{"success":0,"message":"no"}`)
	}
	return next()
}

func TestFindings(t *testing.T) {
	reached := map[string]bool{}
	for name, test := range cases() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, test.options)
				s.between = test.between
				if test.fault.Kind != "" {
					s.Fail(test.fault)
				}
				report := s.run(t.Context(), cmp.Or(test.environment, "Testing"))
				want, exit := slices.Clone(safe), test.exit
				if test.ends {
					want, exit = strings.Fields("connection=direct pace=none"), probe.ExitUnfinished
				}
				for _, differs := range strings.Fields(test.differs) {
					question, answer, _ := strings.Cut(differs, "=")
					want = slices.DeleteFunc(want, func(row string) bool { return strings.HasPrefix(row, question+"=") })
					if answer != "" {
						want = append(want, differs)
					}
				}
				got := findings(report)
				for _, finding := range got {
					reached[finding] = true
				}
				slices.Sort(want)
				if diff := gocmp.Diff(want, got); diff != "" || report.ExitCode() != exit {
					t.Errorf("exit code %d, want %d, problem %q\n%s", report.ExitCode(), exit, report.Problem, diff)
				}
				named := test.unsure || test.leaves
				if (report.Problem != "") != test.ends || len(s.left()) > 0 != test.leaves || len(report.Left) > 0 != named {
					t.Errorf("problem %q, left %v, reported %v", report.Problem, s.left(), report.Left)
				}
				if report.Calls > 36 || test.between == nil && report.Calls != len(s.Calls()) {
					t.Errorf("%d calls, the report says %d", len(s.Calls()), report.Calls)
				}
			})
		})
	}
	for finding := range probe.RowsOfFindings() {
		if !reached[finding] {
			t.Errorf("no case leads to %s", finding)
		}
	}
}

func findings(report probe.Report) (all []string) {
	for _, row := range report.Rows {
		all = append(all, row.Question+"="+row.Finding)
	}
	slices.Sort(all)
	return all
}

// TestEveryReadingIsACase: the table of cases has one for each option of the emulator.
func TestEveryReadingIsACase(t *testing.T) {
	set := map[string]bool{
		"Log": true, "ForgetCalls": true, // not part of the behavior
		"FirstTeamID": true, "Latency": true, // numbers like any other
	}
	for _, test := range cases() {
		options := reflect.ValueOf(test.options)
		for i := range options.NumField() {
			set[options.Type().Field(i).Name] = set[options.Type().Field(i).Name] || !options.Field(i).IsZero()
		}
	}
	for option, is := range set {
		if !is {
			t.Errorf("no case sets %s", option)
		}
	}
}

// TestEveryFindingSaysWhereToReadOn: a finding that is not OK says what follows, and links to a heading that exists.
func TestEveryFindingSaysWhereToReadOn(t *testing.T) {
	punctuation := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for name, row := range probe.RowsOfFindings() {
		if utf8.RuneCountInString(row.Asked) > 33 {
			t.Errorf("%s is too long for its column", row.Asked)
		}
		if says := row.Means != ""; says != (row.Severity != probe.OK) && row.Finding != "unknown" {
			t.Errorf("%s says what follows: %t", name, says)
		}
		if row.ReadOn == "" {
			continue
		}
		page, anchor, _ := strings.Cut(strings.TrimPrefix(row.ReadOn, probe.Docs), "#")
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var anchors []string
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
			words := punctuation.ReplaceAllString(strings.ToLower(heading[1]), "")
			anchors = append(anchors, strings.ReplaceAll(words, " ", "-"))
		}
		if anchor != "" && !slices.Contains(anchors, anchor) {
			t.Errorf("%s links to %s, which is not a heading", name, row.ReadOn)
		}
	}
}
