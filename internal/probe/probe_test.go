package probe

import (
	"cmp"
	"context"
	"encoding/json"
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
		"upsert":          {options: emulator.Options{UpsertOnPut: true}, differs: "missing-update=creates"},
		"stale token 403": {options: emulator.Options{StaleTokenStatus: 403}, differs: "stale-rotation=unauthorized"},
		"stale token 500": {options: emulator.Options{StaleTokenStatus: 500}, differs: "stale-rotation=failed"},
		"trimmed names":   {options: emulator.Options{TrimNames: true}, differs: "name=changed"},
		"merges":          {options: emulator.Options{Updates: emulator.UpdatesMerge}, differs: "properties=merged"},
		"forgiving deletes, lagging reads": {
			options: emulator.Options{ForgivingDeletes: true, TokenLag: 2 * time.Second},
			differs: "stale-deletion=accepted lag=lags",
		},
		"lagging reads that clear": {
			options: emulator.Options{TokenLag: 5 * time.Second, Updates: emulator.UpdatesClear},
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
		"no environment, named":   {options: keyOf(""), environment: NoEnvironment, differs: "environment=none"},

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
		"properties are added": {
			between: func(_ *http.Request, body fields, next func() *http.Response) *http.Response {
				if body["properties"] != nil {
					body["properties"] = json.RawMessage(`{"added":1,` + string(body["properties"][1:]))
				}
				return next()
			}, differs: "own-properties=added",
		},
		"IDs in lower case": {between: changesIDs(strings.ToLower), differs: "id-case=same"},
		"IDs normalized":    {between: changesIDs(norm.NFC.String), differs: "id-unicode=same"},
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
					want, exit = strings.Fields("connection=direct pace=none"), ExitUnfinished
				}
				for _, differs := range strings.Fields(test.differs) {
					question, answer, _ := strings.Cut(differs, "=")
					want = slices.DeleteFunc(want, func(row string) bool { return strings.HasPrefix(row, question+"=") })
					if answer != "" {
						want = append(want, differs)
					}
				}
				var got []string
				for _, row := range report.Rows {
					got = append(got, row.Question+"="+row.Finding)
					reached[row.Question+"="+row.Finding] = true
				}
				slices.Sort(got)
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
	for finding := range rowsOfFindings() {
		if !reached[finding] {
			t.Errorf("no case leads to %s", finding)
		}
	}
}

// rowsOfFindings returns a row for every finding that a probe can have, by question=finding.
func rowsOfFindings() map[string]Row {
	rows := map[string]Row{}
	for _, question := range questions {
		for answer := range question.findings {
			p := probe{rows: map[string]Row{}}
			p.found(question.id, answer, "x")
			rows[question.id+"="+answer] = p.rows[question.id]
		}
	}
	return rows
}

// TestEveryReadingIsACase: the table of cases has one for each option of the emulator.
func TestEveryReadingIsACase(t *testing.T) {
	set := map[string]bool{
		"Log":         true,                  // not part of the behavior
		"FirstTeamID": true, "Latency": true, // numbers like any other
	}
	for option := range strings.FieldsSeq(`Deletions DeletedIDs Tags NameRequiredToCreate MissingNameStatus
		DataSourceRequired UniqueNames MaxIDLength MaxNameLength CutNames GetOverwrites ForgivingRotations ReuseTeamIDs
		DefaultName DefaultProperties EscapeNames DecomposeNames UnixLineEnds Doubles DropNulls EmptyLists NoProperties BOM
		SignedTokens SlashRedirect`) {
		set[option] = true // The probe does not ask about it yet.
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

// TestNothingIsLeftWhateverHappens stops, breaks and crashes the probe at each call.
func TestNothingIsLeftWhateverHappens(t *testing.T) {
	lost := func(kind emulator.FaultKind) func(*service, int, func()) {
		return func(s *service, nth int, _ func()) { s.Fail(emulator.Fault{Nth: nth, Kind: kind}) }
	}
	at := func(s *service, nth int, do func()) {
		s.between = func(_ *http.Request, _ fields, next func() *http.Response) *http.Response {
			if nth--; nth == 0 {
				do()
			}
			return next()
		}
	}
	for name, test := range map[string]struct {
		mishap func(s *service, nth int, stop func())
		// ends means that the mishap ends the probe.
		ends bool
		// strict is a service that does not delete without a token, and whose lookups lag.
		strict bool
	}{
		"stopped":                {func(s *service, nth int, stop func()) { at(s, nth, stop) }, true, false},
		"crashed":                {func(s *service, nth int, _ func()) { at(s, nth, func() { panic("test") }) }, true, false},
		"cut after work":         {lost(emulator.CutAfterWork), false, false},
		"cut after work, strict": {lost(emulator.CutAfterWork), false, true},
		"failed after work":      {lost(emulator.Error500AfterWork), false, false},
		"half a document":        {lost(emulator.HalfDocument), false, false},
		"page of a proxy":        {lost(emulator.HTML200), false, false},
		"refused":                {lost(emulator.Refuse), false, false},
		"redirected elsewhere":   {lost(emulator.Redirect307), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			first, options := 1, emulator.Options{}
			if test.strict {
				// Before the fourth call, no token is certain, so groups cannot be deleted.
				first, options.TokenLag = 4, 3*time.Second
			}
			for nth := first; ; nth++ {
				calls := 0
				synctest.Test(t, func(t *testing.T) {
					s := newService(t, options)
					ctx, stop := context.WithCancel(t.Context())
					defer stop()
					if test.strict {
						s.between = deletesByToken
					}
					test.mishap(s, nth, stop)
					report := Report{Problem: "crashed"}
					func() {
						defer func() { _ = recover() }()
						report = s.run(ctx, "Testing")
					}()
					if calls = len(s.Calls()); nth > calls {
						return
					}
					if left := s.left(); len(left) > 0 {
						t.Errorf("call %d: left %v\n%v", nth, left, s.Calls())
					}
					if removing := strings.Count(s.progress.String(), "removing"); removing != 1 {
						t.Errorf("call %d: the groups were removed %d times", nth, removing)
					}
					for _, row := range report.Rows {
						if row.Severity == Bad && name != "refused" {
							t.Errorf("call %d: the mishap is taken for a finding: %s %s", nth, row.Asked, row.Found)
						}
					}
					advises, should := strings.Contains(report.Problem, advice), name == "redirected elsewhere"
					if advises && name == "stopped" || !advises && should && nth <= lastQuestion {
						t.Errorf("call %d: the report says %q", nth, report.Problem)
					}
					if test.ends && report.Problem == "" && nth < lastQuestion {
						t.Errorf("call %d: the report does not say that the probe ended early", nth)
					}
				})
				if nth > calls {
					break
				}
			}
		})
	}
}

// lastQuestion is the last call of a probe that is not a removal, if nothing goes wrong.
const lastQuestion = 21

// TestServiceThatGoesAway: what may be left is named, with the command that removes it, and the probe does not wait
// for each group.
func TestServiceThatGoesAway(t *testing.T) {
	for nth := range 27 {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, emulator.Options{})
			calls, late := 0, 0
			s.between = func(_ *http.Request, _ fields, next func() *http.Response) *http.Response {
				if calls++; calls > nth {
					late++
					panic(http.ErrAbortHandler)
				}
				return next()
			}
			report := s.run(t.Context(), "Testing")
			for _, id := range s.left() {
				if !slices.Contains(report.Left, id) {
					t.Errorf("after %d calls: %s is left, but only %v reported", nth, id, report.Left)
				}
			}
			if report.ExitCode() != ExitUnfinished || late > 9 {
				t.Errorf("after %d calls: exit code %d, %d more calls", nth, report.ExitCode(), late)
			}
		})
	}
}

// TestEveryFindingSaysWhereToReadOn: a finding that is not OK says what follows, and links to a heading that exists.
func TestEveryFindingSaysWhereToReadOn(t *testing.T) {
	punctuation := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for name, row := range rowsOfFindings() {
		if utf8.RuneCountInString(row.Asked) > 33 {
			t.Errorf("%s is too long for its column", row.Asked)
		}
		if says := row.Means != ""; says != (row.Severity != OK) && row.Finding != "unknown" {
			t.Errorf("%s says what follows: %t", name, says)
		}
		if row.ReadOn == "" {
			continue
		}
		page, anchor, _ := strings.Cut(strings.TrimPrefix(row.ReadOn, docs), "#")
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
