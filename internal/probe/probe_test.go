package probe

import (
	"bytes"
	"cmp"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	gocmp "github.com/google/go-cmp/cmp"
)

// safe are the answers of the emulator without options. The cases list what differs.
const safe = started + `; rotate=yes; delete=yes; lookup=name, properties; overwrites=no; empty=emptied; gone=once;
	unsent=kept; properties=replaced; texts=kept; ids=exact; deleted-id=free;
	missing-update=refused; stale-rotation=refused; stale-deletion=refused; lag=none`

const (
	ended       = "pace=none"
	known       = ended + "; create=yes; update=yes; lookup-fields=works; token=same; between=none"
	started     = known + "; environment=expected; defaults=none"
	cached      = ended + "; between=cached"
	noLookups   = "; lookup=nothing; unsent=; properties=; empty="
	noNames     = "; overwrites="
	noUpdates   = "; unsent=; properties=; empty=; texts=; lookup=; missing-update=; gone="
	noRotations = "; lag=; stale-rotation="
	undeleted   = safe + "; gone=; deleted-id=; missing-update=; stale-deletion=; ids="
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
	source      string
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

// cases returns an entry for each answer, unless a stranger leads to it, and for habits of the emulator that lead to
// none.
func cases() map[string]serviceCase {
	return map[string]serviceCase{
		"default": {says: "To do first: 0. To expect: 0. Calls: 29.|accepted the deletion of each"},
		"echo":    {options: o{Answers: emulator.AnswersEcho}, differs: noLookups + noNames + "; texts="},
		"many habits": {
			options: o{
				Deletions: emulator.DeletionsNoContent, DefaultName: "New {id}", DefaultProperties: `{"plan":"free"}`,
				SignedTokens: true, DeletedIDs: emulator.DeletedIDsRevivedAsNew, StaleTokenStatus: 403,
				RateLimit: 5, Refusals: emulator.RefusalsFields,
			},
			differs: `defaults=some; token=signed; deleted-id=revived; pace=some`,
			says:    `-a, the properties plan|the old name|were refused: `,
		},
		"many others": {
			options: o{
				Required: all[:1], RequiredToUpdate: all[:1], MissingStatus: 500,
				StaleTokenStatus: 500, ReuseTeamIDs: true, Updates: emulator.UpdatesClear,
				Deletions: emulator.DeletionsObject,
				Refusals:  emulator.RefusalsPage, DataSourceRequired: true, RateLimit: 5,
			},
			differs: `lookup-fields=demands; update=demands; unsent=cleared; delete=source;
				stale-rotation=fails; pace=some`,
			says: `cleared: properties|data_source_provided_id = "the ID`,
		},
		"forgiving": {
			options: o{
				RequiredToCreate: all[:1], DefaultName: "{id}", Updates: emulator.UpdatesMerge,
				ForgivingDeletes: true, ForgivingRotations: true, UpsertOnPut: true, TokenLag: 5 * time.Second,
			},
			differs: `lookup-fields=demands; properties=merged; empty=ignored; stale-deletion=accepted;
				stale-rotation=hollow; missing-update=creates; lag=lags`,
		},
		"fills in later": {
			options: o{DefaultName: "Unnamed", LateDefaults: true}, differs: "defaults=later",
			says: `Unnamed|lookup_fields = ["name"]`,
		},
		"one number":                   {between: shown(func(_ string, group map[string]any) { group["team_id"] = 1001 })},
		"derived tokens":               {options: o{DerivedTokens: true}, differs: "deleted-id=revived"},
		"updates renew tokens":         {options: o{RenewingUpdates: true}, differs: "token=renewed"},
		"updates show what was before": {options: o{StaleUpdates: true}},
		"a default name":               {options: o{DefaultName: "Unnamed"}},
		"the ID as the name":           {options: o{DefaultName: "{id}"}},
		"no numbers":                   {options: o{Omit: []string{"team_id"}}},
		"names are empty": {between: shown(func(_ string, group map[string]any) {
			if group["name"] == nil {
				group["name"] = ""
			}
		})},
		"leaves out false": {options: o{OmitZero: true}},
		"numbers as text":  {options: o{TextTeamIDs: true}},
		"demands all": {
			options: o{Required: all, RequiredToUpdate: all[:1], MissingStatus: 422},
			differs: "lookup-fields=demands; update=demands",
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
		"busy groups":               {options: o{BusyStatus: 423, BusyDeletions: 2}},
		"busy groups that say when": {options: o{BusyStatus: 409, BusyDeletions: 2, BusyRetryAfter: 2}},
		"queued deletions":          {options: o{DeletionDelay: 4 * time.Second}, differs: "gone=later"},
		"queued rotations":          {options: o{RotationDelay: 4 * time.Second}, differs: "rotate=later; lag=lags"},
		"responses of before":       {options: o{StaleRotations: true}},
		"rotations do nothing":      {between: rotatesNothing(), differs: started + "; rotate=none"},
		"replica":                   {options: o{ReplicaLag: 2 * time.Second}, differs: "lag=lags"},
		"replica, read back": {
			options: o{ReplicaLag: 2 * time.Second, StaleRotations: true}, differs: "lag=lags; rotate=later",
		},
		"empty is absent": {options: o{EmptyIsAbsent: true}, differs: "empty=ignored"},
		"capitals":        {options: o{UpperIDs: true}, differs: "ids=spelled"},
		"plain IDs":       {options: o{PlainIDs: true}, differs: ended + "; ids=changed", says: "embed_probe_"},
		"full":            {options: o{MaxGroups: 1}, differs: ended, says: "402"},
		"IDs of a form":   {options: o{IDPattern: "^[0-9]+$"}, differs: ended, says: "must match ^[0-9]+$"},
		"tells tales": {
			options: o{RepeatsRequests: true, RateLimit: 5, RateLimitStatus: 403, StaleTokenStatus: 404}, differs: "pace=some",
		},
		"strict": {
			options: o{
				Required: all[:1], RequiredToUpdate: all[:1], DeletedIDs: emulator.DeletedIDsGone,
				Refusals: emulator.RefusalsSuccessZero,
			},
			differs: "lookup-fields=demands; update=demands; deleted-id=reserved", says: "is that of a deleted",
		},
		"gone":    {options: o{DeletedIDs: emulator.DeletedIDsGone}, differs: "deleted-id=reserved"},
		"revived": {options: o{DeletedIDs: emulator.DeletedIDsRevived}, says: "name, token", differs: "deleted-id=revived"},
		"upserts": {
			options: o{GetOverwrites: true}, differs: "overwrites=always" + noLookups, says: "To do first: 2.",
		},
		"upserts, and requires a name": {
			options: o{GetOverwrites: true, Required: all[:1], RequiredToUpdate: all[:1]},
			differs: "overwrites=always; lookup-fields=demands; update=demands" + noLookups,
		},
		"upserts names": {between: putsNames, differs: "overwrites=named", says: "To expect: 1."},
		"no name":       {options: o{Omit: []string{"name"}}, differs: "lookup=properties" + noNames},
		"no properties": {options: o{Omit: []string{"properties"}}, differs: noLookups + "; lookup=name"},
		"no token":      {options: o{Omit: []string{"token"}}, differs: ended + "; create=no-token"},
		"hidden names": {
			options: o{Updates: emulator.UpdatesClear}, between: hidesNames, differs: "lookup=properties; unsent=cleared",
		},
		"texts changed": {
			between: changes("name", strings.NewReplacer("&", "+", `\u0026`, "+").Replace), differs: "texts=changed",
			says: "are changed, for example to + <x>",
		},
		"odd texts refused": {fault: replies("PUT", 2, 400, no), differs: "texts=refused"},
		"IDs in lower case": {between: changes("user_group_id", strings.ToLower), differs: "ids=same"},
		"IDs refused":       {between: changes("user_group_id", empty), differs: "ids=refused"},
		"IDs fail": {between: on("GET", func(c call) *response {
			if bytes.Contains(c.body["user_group_id"], []byte("-B")) {
				return responds(500, "text/html", "")
			}
			return c.next()
		}), differs: "ids=refused"},
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
		"may not update":          {fault: replies("PUT", 0, 403, no), differs: "update=no; overwrites=" + noUpdates},
		"drops bodies":            {fault: replies("GET", 0, 400, no), differs: ended, says: "see the guide Network"},
		"may not rotate":          {fault: replies("POST", 0, 403, no), differs: "rotate=no" + noRotations},
		"may not delete": {
			fault: replies("DELETE", 0, 403, no), left: true, differs: undeleted + "; delete=no", says: `"Remove an`,
		},
		"deletes nothing": {
			fault: replies("DELETE", 0, 200, yes), left: true, differs: undeleted + "; delete=ignored",
		},
		"has a source": {options: o{DataSourceRequired: true}, source: "warehouse"},
		"refuses once, and any source": {
			between: on("DELETE", func(c call) *response {
				if c.body["data_source_provided_id"] != nil {
					return responds(404, "application/json", no)
				}
				return c.next()
			}),
			fault: replies("DELETE", 1, 403, no), differs: undeleted + "; delete=no",
		},
		"has a source, and refuses once": {
			options: o{DataSourceRequired: true}, source: "warehouse", fault: replies("DELETE", 1, 403, no),
			differs: undeleted + "; delete=no",
		},
		"redirect":        {options: o{SlashRedirect: 308}, differs: ended + "; create=slash", says: `/api/user/"`},
		"cached customer": {fault: replies("GET", 0, 200, acme), left: true, differs: cached},
		"cached as new":   {fault: replies("GET", 0, 200, newAcme), left: true, differs: cached},
		"cached by body":  {between: caches(), differs: cached},
		"cached customer, upserts": {
			options: o{UpsertOnPut: true}, fault: replies("GET", 0, 200, acme), differs: cached,
		},
		"cached first": {fault: replies("GET", 1, 200, acme), differs: cached},
		"cached at once, may not update": {
			fault: replies("GET", 2, 200, acme), between: on("PUT", refuses(403, no)), differs: cached,
		},
		"cached at once": {fault: replies("GET", 2, 200, acme), differs: cached},
		"cached later":   {fault: replies("GET", 3, 200, acme), differs: started + "; rotate=yes; between=cached"},
		"cached, with Age": {differs: cached, fault: emulator.Fault{
			Method: "GET", Nth: 2, Kind: emulator.Answer, Body: "{}", Header: http.Header{"Age": {"7"}},
		}},
		"busy": {between: busy(), differs: "pace=some"},
		"busy, and demands all": {
			options: o{
				Required: all, RequiredToUpdate: all, ReplicaLag: 2 * time.Second, StaleRotations: true,
				BusyStatus: 423, BusyDeletions: 2,
			},
			between: busy(), says: "more calls than the probe may make",
			differs: safe + "; pace=some; lag=lags; rotate=later; lookup-fields=demands; update=demands; unsent=; ids=",
		},
		"GET sent twice":  {between: on("GET", twice), differs: "between=repeated"},
		"POST sent twice": {between: on("POST", twice), differs: "between=repeated; rotate=" + noRotations},
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
	for name, test := range cases() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, test.options)
				if test.between != nil {
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
				oneLine := strings.Join(strings.Fields(s.printed.String()), " ")
				for text := range strings.SplitSeq(test.says, "|") {
					if !strings.Contains(oneLine, text) && !strings.Contains(s.printed.String(), text) {
						t.Errorf("the report does not say %s\n%s", text, &s.printed)
					}
				}
				if len(report.Left) > 0 != test.left || report.Calls > maxCalls || report.Calls != s.attempts {
					t.Errorf("%d calls, the report says %d, and that %v are left", s.attempts, report.Calls, report.Left)
				}
			})
		})
	}
	for _, stranger := range strangers() {
		synctest.Test(t, func(t *testing.T) {
			report, _ := stranger.asked(t)
			for _, row := range report.Rows {
				reached[row.Question+"="+row.Answer] = true
			}
		})
	}
	for _, question := range questions {
		for answer := range question.answers {
			if row := question.id + "=" + answer; !reached[row] {
				t.Errorf("no case leads to %s", row)
			}
		}
	}
}

// TestEveryQuestionHasAConsequence: each question has an answer that changes what a user does. Each answer that is not
// OK says what that is, and names a heading that exists. A line to write is the last line of what it says.
func TestEveryQuestionHasAConsequence(t *testing.T) {
	t.Parallel()
	for _, question := range questions {
		consequences := 0
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
			if isOK := is.part == OK; isOK != (is.means == "") || isOK == exists {
				t.Errorf("%s: %s=%s refers to %q, and says what follows: %q", question.asks, question.id, answer, is.page, is.means)
			} else if !isOK {
				consequences++
			}
			if _, line, has := strings.Cut(is.means, "\n"); has != (is.part == Line) || has && !isLine.MatchString(line) {
				t.Errorf("%s: %s=%s has the line of configuration %q", question.asks, question.id, answer, line)
			}
		}
		if consequences == 0 {
			t.Errorf("%s: no answer changes what a user does", question.asks)
		}
	}
}

// isLine matches a line of configuration. %s stands for one, or for a value.
var isLine = regexp.MustCompile(`^(%s|[a-z_]+ = .+)$`)

// marked has the lines of "What the provider cannot see or help" that the probe looks for, by how they begin, and the
// answers that find them.
var marked = map[string][]string{
	"A lookup that overwrites":                     {"overwrites=always", "overwrites=named"},
	"[Updates that clear]":                         {"unsent=cleared"},
	"[One group for two IDs]":                      {"ids=same"},
	"A deletion, if the service ignores the token": {"stale-deletion=accepted"},
	"A create soon after a deletion":               {"gone=later", "gone=lookups"},
	"[A gateway](network.md#gateways) that caches": {"between=cached", "between=repeated"},
	"A rotation that is carried out after the run": {"rotate=later"},
	"A call that is carried out although":          {"between=repeated"},
	"One that was created anew elsewhere":          {"deleted-id=same-number", "deleted-id=revived"},
	"What responses lack":                          {"lookup=properties", "lookup=name", "lookup=nothing"},
	"Texts that the service changes": {
		"texts=changed", "texts=escaped", "texts=refused", "properties=merged", "properties=removes",
	},
	"Replicas that lag":                             {"lag=lags"},
	"Tokens that responses lack or mask":            {"create=no-token", "token=masked"},
	"Empty properties that the service":             {"empty=refused", "empty=ignored"},
	"[A gateway](network.md#gateways) that drops":   {"delete=no", "delete=ignored"},
	"IDs that stay reserved":                        {"deleted-id=reserved"},
	"Deleted IDs that bring the old group back":     {"deleted-id=revived"},
	"A new token in each response":                  {"token=signed"},
	"A group whose deletion with an old token only": {"stale-deletion=ignored"},
}

// TestMarks: the page marks what the probe looks for, and nothing else. An answer that refers to the page stands there.
func TestMarks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../templates/guides/service-behavior.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What the provider cannot see or help\n")
	stands := map[string]bool{}
	for begins, found := range marked {
		line := regexp.MustCompile("(?m)^- " + regexp.QuoteMeta(begins) + ".*").FindString(section)
		if !strings.Contains(line, "**P**") {
			t.Errorf("not marked: %s", begins)
		}
		for _, answer := range found {
			stands[answer] = true
		}
	}
	if marks := regexp.MustCompile(`(?m)^- .*\*\*P\*\*`).FindAllString(section, -1); len(marks) != len(marked) {
		t.Errorf("%d lines are marked, want %d", len(marks), len(marked))
	}
	for _, question := range questions {
		for answer, is := range question.answers {
			id := question.id + "=" + answer
			if is.page == unseen && !stands[id] {
				t.Errorf("%s refers to the page, which does not have it", id)
			}
			delete(stands, id)
		}
	}
	for answer := range stands {
		t.Errorf("no question has the answer %s", answer)
	}
}

// TestDesignNamesQuestions: each question that DESIGN.md names as one that finds what is not handled exists.
func TestDesignNamesQuestions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("(?m)^- .* \\(Probe: `(.*)`\\)$").FindAllStringSubmatch(string(text), -1)
	for _, name := range named {
		if !slices.ContainsFunc(questions, func(q question) bool { return q.id == name[1] }) {
			t.Errorf("DESIGN.md names the question %s, which does not exist", name[1])
		}
	}
	if marks := strings.Count(string(text), "(Probe: "); len(named) != marks || marks == 0 {
		t.Errorf("%d marks, of which %d name a question", marks, len(named))
	}
}
