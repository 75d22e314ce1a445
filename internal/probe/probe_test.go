package probe

import (
	"cmp"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// safe are the answers of the emulator without options. The cases list what differs.
const safe = started + `; rotate=yes; delete=yes; deletion=success; lookup=name, properties; overwrites=no;
	rotation=new; unchanged=works; empty=emptied; keys=kept; busy=no; gone=once;
	update-name=works; unsent=kept; properties=replaced; mapping=unknown; numbers=exact; nested=kept; name=kept;
	name-length=kept; names-unique=allowed; id-case=exact; id-unicode=exact; id-length=kept; deleted-id=free; team-id=new;
	missing-update=refused; stale-rotation=refused; stale-deletion=refused; lag=none`

const (
	ended = "connection=direct; pace=none"
	known = ended + "; address=right; create=yes; update=yes; lookup-fields=works; new=marked; token=same; " +
		"between=none"
	started   = known + "; environment=expected; fields=complete; defaults=none"
	cached    = ended + "; between=cached"
	noLookups = "; lookup=nothing; unsent=unknown; properties=unknown; numbers=unknown; nested=unknown; " +
		"keys=unknown; empty=unknown"
	noNames   = "; name=unknown; name-length=unknown; overwrites=unknown"
	noUpdates = "; fields=; update-name=; mapping=; unsent=; properties=; numbers=; nested=; name=; name-length=; " +
		"lookup=; missing-update=; unchanged=; empty=; keys=; gone="
	noRotations = "; rotation=; lag=; stale-rotation="
	undeleted   = safe + "; busy=; gone=; deleted-id=; team-id=; missing-update=; stale-deletion=; names-unique=; " +
		"id-case=; id-unicode=; id-length="
)

// serviceCase is a service, and what the probe finds about it.
type serviceCase struct {
	options emulator.Options
	between between
	fault   emulator.Fault
	// differs lists the answers that are not in safe, or all answers if the probe ends early.
	differs string
	// says are texts in the report, separated by |.
	says        string
	left        bool   // names groups that are left
	environment string // Testing, if empty
	source, via string
	set         []string // the provider's lookup_fields
}

type o = emulator.Options

// keyOf returns options by which the probe's key belongs to an environment.
func keyOf(tag string) o { return o{Environments: map[string]string{testingKey: tag}} }

func replies(method string, nth, status int, body string) emulator.Fault {
	return emulator.Fault{Method: method, Nth: nth, Kind: emulator.Answer, Status: status, Body: body}
}

// all are the fields that a lookup can have.
var all = []string{"name", "mapping", "properties"}

const (
	yes     = `{"success":1}`
	no      = `{"success":0}`
	acme    = `{"success":1,"new_user_group":0,"user_group":{"team_id":7,"token":"ugt_acme"}}`
	newAcme = `{"success":1,"new_user_group":1,"user_group":{"team_id":7,"token":"ugt_acme","provided_id":"acme"}}`
)

// cases returns an entry for each habit of the emulator, and for each answer that no habit leads to.
func cases() map[string]serviceCase {
	return map[string]serviceCase{
		"default": {says: "Errors: 0. Notes: 1. Calls: 39.|left no groups behind"},
		"echo":    {options: o{Answers: emulator.AnswersEcho}, differs: noLookups + noNames},
		"many habits": {
			options: o{
				Deletions: emulator.DeletionsNoContent, Tags: emulator.TagsObject, DefaultName: "New {id}",
				DefaultProperties: `{"plan":"free"}`, SignedTokens: true, Doubles: true, EmptyLists: true, BOM: true,
				NoProperties: "false", TrimNames: true, EscapeNames: true, DecomposeNames: true, UnixLineEnds: true,
				MaxNameLength: 50, CutNames: true, UniqueNames: true, DeletedIDs: emulator.DeletedIDsRevivedAsNew,
				StaleTokenStatus: 403, RateLimit: 5, Refusals: emulator.RefusalsFields,
			},
			differs: `deletion=bare; defaults=some; token=signed; numbers=doubles; nested=equal; name=changed; name-length=cut;
				names-unique=refused; deleted-id=revived; stale-rotation=unauthorized; pace=some`,
			says: `has status 204 and|-a, the properties plan|HTML entities, another Unicode form, fewer spaces, other line ends
				|"object":[]|at 50 characters|refused: 409 (name: |the old name|were refused: `,
		},
		"many others": {
			options: o{
				Required: all[:1], RequiredToUpdate: all[:1], MissingStatus: 500, UniqueNames: true,
				StaleTokenStatus: 500, ReuseTeamIDs: true, Updates: emulator.UpdatesClear, MaxIDLength: 50, MaxNameLength: 50,
				Deletions: emulator.DeletionsObject,
				Refusals:  emulator.RefusalsPage, DataSourceRequired: true, RateLimit: 5,
			},
			differs: `lookup-fields=demands; update-name=refused; unsent=cleared; delete=source; deletion=bare;
				id-length=refused; name-length=refused; names-unique=refused; team-id=again; stale-rotation=fails; pace=some`,
			says: `cleared: properties|Long names                        are refused at 150 characters: 400 (400 Bad Request)`,
		},
		"forgiving": {
			options: o{
				RequiredToCreate: all[:1], DefaultName: "{id}", Updates: emulator.UpdatesMerge, DropNulls: true,
				ForgivingDeletes: true, ForgivingRotations: true, UpsertOnPut: true, MaxIDLength: 40, TokenLag: 5 * time.Second,
			},
			differs: `lookup-fields=demands; properties=merged; empty=ignored; nested=equal; stale-deletion=accepted;
				stale-rotation=hollow; missing-update=creates; id-length=refused; lag=lags`,
			says: `refused at 50 characters: 400 (the field user_group_id is too long)`,
		},
		"fills in later": {
			options: o{DefaultName: "Unnamed", LateDefaults: true}, differs: "defaults=later", says: "Unnamed",
		},
		"one number":     {options: o{OneTeamID: true}, differs: "team-id=again"},
		"derived tokens": {options: o{DerivedTokens: true}, differs: "deleted-id=revived; stale-deletion="},
		"updates renew tokens": {
			options: o{RenewingUpdates: true}, differs: "token=renewed", says: "is another one after each update",
		},
		"updates show what was before": {options: o{StaleUpdates: true}, differs: "fields=missing"},
		"counts changed rows":          {options: o{CountsChangedRows: true}, differs: "unchanged=refused"},
		"leaves out false":             {options: o{OmitZero: true}, differs: "new=unmarked"},
		"numbers as text":              {options: o{TextTeamIDs: true}},
		"demands all": {
			options: o{Required: all, RequiredToUpdate: all[:1], MissingStatus: 422},
			differs: "lookup-fields=demands; update-name=refused",
			says: `refused: 422 (the field name is missing|
       lookup_fields = ["name", "mapping", "properties"]
`,
		},
		"demands all, set": {
			options: o{RequiredToCreate: all}, set: all, differs: "lookup-fields=set",
			says: `lookup_fields = ["name", "mapping", "pro`,
		},
		"demands properties": {
			options: o{Required: all[2:]}, set: all[:1], differs: "lookup-fields=demands",
			says: `lookup_fields = ["name", "properties"]`,
		},
		"busy groups": {
			options: o{BusyStatus: 423, BusyDeletions: 2, BusyTime: 4 * time.Second}, differs: "busy=busy",
			says: "at first: 423",
		},
		"busy groups that say when": {
			options: o{BusyStatus: 409, BusyDeletions: 2, BusyRetryAfter: 2}, differs: "busy=busy", says: "at first: 409",
		},
		"queued deletions":     {options: o{DeletionDelay: 4 * time.Second}, differs: "gone=later"},
		"queued rotations":     {options: o{RotationDelay: 4 * time.Second}, differs: "rotation=later; lag=lags"},
		"responses of before":  {options: o{StaleRotations: true}, differs: "rotation=old"},
		"rotations do nothing": {between: rotatesNothing(), differs: started + "; rotation=none"},
		"replica":              {options: o{ReplicaLag: 2 * time.Second}, differs: "lag=lags"},
		"replica, read back": {
			options: o{ReplicaLag: 2 * time.Second, StaleRotations: true}, differs: "lag=lags; rotation=later",
		},
		"PHP": {
			options: o{
				KeysAsLists: true, EmptyLists: true, NumbersAsText: true, DropListNulls: true, EmptyIsAbsent: true,
				LowerNames: true,
			},
			differs: "keys=lists; numbers=text; nested=changed; empty=ignored; name=changed", says: "changed: lower case",
		},
		"six digits":    {options: o{Digits: 6}, differs: "numbers=rounded"},
		"capitals":      {options: o{UpperIDs: true}},
		"plain IDs":     {options: o{PlainIDs: true}, differs: ended + "; ids=changed", says: "embed_probe_"},
		"full":          {options: o{MaxGroups: 1}, differs: ended, says: "402"},
		"IDs of a form": {options: o{IDPattern: "^[0-9]+$"}, differs: ended, says: "must match ^[0-9]+$"},
		"tells tales": {
			options: o{RepeatsRequests: true, RateLimit: 5, RateLimitStatus: 403, StaleTokenStatus: 404}, differs: "pace=some",
		},
		"strict": {
			options: o{
				Required: all[:1], RequiredToUpdate: all[:1], DeletedIDs: emulator.DeletedIDsConflict,
				Refusals: emulator.RefusalsSuccessZero,
			},
			differs: "lookup-fields=demands; update-name=refused; deleted-id=reserved", says: "is that of a deleted",
		},
		"gone":    {options: o{DeletedIDs: emulator.DeletedIDsGone}, differs: "deleted-id=reserved"},
		"revived": {options: o{DeletedIDs: emulator.DeletedIDsRevived}, says: "name, token", differs: "deleted-id=revived"},
		"upserts": {options: o{GetOverwrites: true}, differs: "overwrites=always" + noLookups, says: "Errors: 1."},
		"upserts, and requires a name": {
			options: o{GetOverwrites: true, Required: all[:1], RequiredToUpdate: all[:1]},
			differs: "overwrites=always; lookup-fields=demands; update-name=refused" + noLookups,
		},
		"upserts names": {between: putsNames, differs: "overwrites=named", says: "Errors: 1."},
		"no name":       {options: o{Omit: []string{"name"}}, differs: "fields=missing; lookup=properties" + noNames},
		"no properties": {
			options: o{Omit: []string{"properties"}}, differs: "fields=missing" + noLookups + "; lookup=name",
		},
		"no token": {options: o{Omit: []string{"token"}}, differs: ended + "; fields=no-token"},
		"hidden names": {
			options: o{Updates: emulator.UpdatesClear}, between: hidesNames, differs: "lookup=properties; unsent=cleared",
		},
		"no empty objects": {
			between: changes("properties", strings.NewReplacer(`"object":{},`, "").Replace), differs: "nested=changed",
		},
		"names changed otherwise": {
			between: changes("name", strings.NewReplacer("&", "+", `\u0026`, "+").Replace), differs: "name=changed",
			says: "are changed: it becomes  embed-probe-",
		},
		"odd names refused": {fault: replies("PUT", 2, 400, no), differs: "name=refused"},
		"IDs in lower case": {between: changes("user_group_id", strings.ToLower), differs: "id-case=same"},
		"IDs normalized":    {between: changes("user_group_id", norm.NFC.String), differs: "id-unicode=same"},
		"IDs refused":       {between: changes("user_group_id", empty), differs: "id-case=refused; id-unicode=refused"},
		"IDs cut":           {between: changes("user_group_id", cut), differs: "id-length=cut", says: "cut at 100"},
		"IDs cut, not shown": {
			options: o{Omit: []string{"provided_id"}}, between: changes("user_group_id", cut),
			differs: "fields=missing; id-length=cut", says: "lack provided_id",
		},
		"old tokens rotate":         {between: rotatesAnyToken(), differs: "stale-rotation=accepted"},
		"old tokens rotate, hollow": {fault: replies("POST", 3, 200, yes), differs: "stale-rotation=hollow"},
		"old tokens rotate, named":  {fault: replies("POST", 3, 200, acme), differs: "stale-rotation=believed"},
		"old tokens delete nothing": {fault: replies("DELETE", 2, 200, yes), differs: "stale-deletion=ignored"},
		"key of customers": {
			options: o{Environments: keyOf("Customer").Environments, DataSourceRequired: true}, between: deletesByToken,
			differs: known + "; environment=other",
		},
		"key of customers, named": {options: keyOf("Customer"), environment: "Customer"},
		"no environment":          {options: keyOf(""), differs: known + "; environment=not-shown"},
		"no environment, named":   {options: keyOf(""), environment: NoEnvironment, differs: "environment=none"},
		"may not create":          {fault: replies("GET", 0, 403, no), differs: ended + "; create=no", says: "refused: 403."},
		"may not update":          {fault: replies("PUT", 0, 403, no), differs: "update=no; overwrites=unknown" + noUpdates},
		"drops bodies":            {fault: replies("GET", 0, 400, no), differs: ended, says: "see the guide Network"},
		"may not rotate":          {fault: replies("POST", 0, 403, no), differs: "rotate=no" + noRotations},
		"may not delete": {
			fault: replies("DELETE", 0, 403, no), left: true, differs: undeleted + "; delete=no; deletion=", says: `"Remove an`,
		},
		"deletes nothing": {
			fault: replies("DELETE", 0, 200, yes), left: true, differs: undeleted + "; delete=ignored; busy=no",
		},
		"has a source":    {options: o{DataSourceRequired: true}, source: "warehouse"},
		"redirect":        {options: o{SlashRedirect: 308}, differs: ended + "; address=slash", says: "/api/user/. Set"},
		"cached customer": {fault: replies("GET", 0, 200, acme), left: true, differs: cached},
		"cached as new":   {fault: replies("GET", 0, 200, newAcme), left: true, differs: cached},
		"cached at once":  {fault: replies("GET", 2, 200, acme), differs: cached},
		"cached later":    {fault: replies("GET", 3, 200, acme), differs: started + "; rotate=yes; between=cached"},
		"cached, with Age": {differs: cached, fault: emulator.Fault{
			Method: "GET", Nth: 2, Kind: emulator.Answer, Body: "{}", Header: http.Header{"Age": {"7"}},
		}},
		"busy":            {between: busy(), differs: safe + "; id-length=; pace=some", says: "y. With this"},
		"GET sent twice":  {between: on("GET", twice), differs: "between=repeated"},
		"POST sent twice": {between: on("POST", twice), differs: "between=repeated; rotate=" + noRotations},
		"proxy":           {via: "1.1 proxy", differs: "connection=passed"},
	}
}

// answers adds the answers in a text such as safe to those by question. One without a value is taken away.
func answers(to map[string]string, text string) {
	for row := range strings.SplitSeq(text, ";") {
		question, answer, _ := strings.Cut(strings.TrimSpace(row), "=")
		if to[question] = answer; answer == "" {
			delete(to, question)
		}
	}
}

// TestAnswers also checks what is true of every service: at most maxCalls calls, and what is left is named.
func TestAnswers(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for option := range strings.FieldsSeq("Log FirstTeamID SameTeamIDs Latency WorkTimes GatewayTimeout IdleTimeout") {
		reached[option] = true // It is the same to a probe, or ends it like any lost response.
	}
	for name, test := range cases() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, test.options)
				for field, value := range reflect.ValueOf(test.options).Fields() {
					reached[field.Name] = reached[field.Name] || !value.IsZero()
				}
				if s.via = test.via; test.between != nil {
					s.between = test.between
				}
				if test.fault.Kind != "" {
					s.Fail(test.fault)
				}
				report := s.run(t.Context(), cmp.Or(test.environment, "Testing"), test.source, test.set...)
				want, got, ends := map[string]string{}, map[string]string{}, strings.HasPrefix(test.differs, ended)
				if !ends {
					answers(want, safe)
				}
				answers(want, test.differs)
				for _, row := range report.Rows {
					got[row.Question] = row.Answer
					reached[row.Question+"="+row.Answer] = true
				}
				if diff := gocmp.Diff(want, got); diff != "" || (report.Problem != "") != ends {
					t.Errorf("problem %q\n%s", report.Problem, diff)
				}
				for text := range strings.SplitSeq(test.says, "|") {
					if !strings.Contains(s.printed.String(), strings.TrimRight(text, "\n\t")) {
						t.Errorf("the report does not say %s\n%s", text, &s.printed)
					}
				}
				if len(report.Left) > 0 != test.left || report.Calls > maxCalls || report.Calls != s.attempts {
					t.Errorf("%d calls, the report says %d, and that %v are left", s.attempts, report.Calls, report.Left)
				}
			})
		})
	}
	for field := range reflect.TypeFor[o]().Fields() {
		if !reached[field.Name] {
			t.Errorf("no case sets the option %s", field.Name)
		}
	}
	for _, question := range questions {
		for answer := range question.answers {
			if row := question.id + "=" + answer; !reached[row] {
				t.Errorf("no case leads to %s", row)
			}
		}
	}
}

// TestEveryAnswerSaysWhereToReadOn: an answer that is not OK says what follows, and names a heading that exists.
func TestEveryAnswerSaysWhereToReadOn(t *testing.T) {
	t.Parallel()
	for _, question := range questions {
		for answer, is := range question.answers {
			guide, heading, _ := strings.Cut(is.page, ": ")
			path := "../../templates/guides/" + strings.ReplaceAll(strings.ToLower(guide), " ", "-") + ".md"
			text, err := os.ReadFile(path)
			if err != nil {
				text, _ = os.ReadFile(path + ".tmpl")
			}
			exists := slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
				return line == "## "+heading || line == "### "+heading
			})
			if isOK := is.severity == OK; isOK != (is.means == "") || isOK == exists || len(question.asks) > 34 {
				t.Errorf("%s: %s=%s refers to %q, and says what follows: %q", question.asks, question.id, answer, is.page, is.means)
			}
		}
	}
}
