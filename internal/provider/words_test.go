package provider

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// sentences are texts that a message may contain only if the facts of the Problem say so. always means that it must
// contain them then. The search of histories in internal/usergroup compares the facts with what really happened.
var sentences = []struct {
	text   string
	always bool
	when   func(*usergroup.Problem) bool
}{
	{"curl -X DELETE", true, removes},
	{"Nothing was changed", false, func(p *usergroup.Problem) bool {
		return p.Done == usergroup.No && p.Placeholder == usergroup.NoPlaceholder && !p.LookupUncertain &&
			p.Finding == usergroup.Exists && !p.AfterDeletion
	}},
	{"No group was changed.", false, func(p *usergroup.Problem) bool {
		return p.Done == usergroup.No && p.Placeholder == usergroup.NoPlaceholder && !p.LookupUncertain &&
			p.Operation == usergroup.LookUp && !p.AfterDeletion
	}},
	{"The state refers to the new token.", false, func(p *usergroup.Problem) bool {
		return done(usergroup.Rotate, usergroup.Yes)(p) && p.Known.Existed() && p.NewToken
	}},
	{"The state still refers to the old token", false, func(p *usergroup.Problem) bool {
		return p.Operation == usergroup.Rotate && p.Done != usergroup.No && p.Known.Existed() && !p.NewToken
	}},
	{"rotated a second time", false, func(p *usergroup.Problem) bool {
		return p.Operation == usergroup.Rotate && p.Done != usergroup.No
	}},
	{"If the group was created, the next run adopts it", false, func(p *usergroup.Problem) bool {
		return p.Operation == usergroup.Create && p.Done != usergroup.No
	}},
	{"terraform state rm", false, func(p *usergroup.Problem) bool {
		return p.Known.Existed() && p.Operation != usergroup.Adopt && p.Operation != usergroup.Create ||
			p.Finding == usergroup.Claimed
	}},
	{"The group was not created.", false, done(usergroup.Create, usergroup.No)},
	{"The group was not deleted. It stays", false, done(usergroup.Delete, usergroup.No)},
	{"The group was deleted.", false, done(usergroup.Delete, usergroup.Yes)},
	{"The token was not rotated.", false, done(usergroup.Rotate, usergroup.No)},
	{"The group was not updated.", false, done(usergroup.Update, usergroup.No)},
	{"A lookup shows that the token is correct", false, func(p *usergroup.Problem) bool {
		return (p.Operation == usergroup.Rotate || p.Operation == usergroup.Delete) && p.Done == usergroup.No
	}},
	{"The lookup deleted nothing", false, func(p *usergroup.Problem) bool {
		return p.MayBeLive && p.LookupUncertain && p.Placeholder == usergroup.NoPlaceholder
	}},
	{"with team_id ,", false, never},
	{"team_id  ", false, never},
	{"{", false, removes},
	{"  .", false, never},
}

func done(operation usergroup.Operation, happened usergroup.Happened) func(*usergroup.Problem) bool {
	return func(p *usergroup.Problem) bool { return p.Operation == operation && p.Done == happened }
}

func never(*usergroup.Problem) bool { return false }

// removes reports whether a message has a command that removes a group. Only its body has braces.
func removes(p *usergroup.Problem) bool {
	checked := p.Cause != nil && p.Cause.Operation == usergroup.CheckService && p.Finding != usergroup.RunEnded
	return p.Removable() || checked && p.Cause.Removable()
}

// TestSentencesFollowFromFacts checks every sentence against random combinations of facts.
func TestSentencesFollowFromFacts(t *testing.T) {
	t.Parallel()
	team, other, name, sent := int64(1001), int64(1002), "acme", "Acme"
	known := []usergroup.Known{
		{}, {ID: "acme", TeamID: &team, Fingerprint: "0123"}, {ID: "acme", Fingerprint: "0123"},
	}
	calls := []*api.Error{
		nil,
		{Kind: api.UnknownOutcome, Method: "GET", Reason: "it was cut"},
		{Kind: api.Refused, Method: "DELETE", Status: 400, FromService: true},
		{Kind: api.Unauthorized, Method: "DELETE", Status: 403, FromService: true},
	}
	responses := []api.UserGroup{{}, {TeamID: &other, Token: api.NewSecret("new"), Name: &name}}
	causes := []*usergroup.Problem{
		nil,
		{Operation: usergroup.LookUp, Call: calls[1]},
		{Operation: usergroup.CheckService, ID: "check", Call: calls[2], Placeholder: usergroup.PlaceholderLeft},
		{Operation: usergroup.CheckService, ID: "check", LookupUncertain: true},
	}
	random := rand.New(rand.NewPCG(1, 2))
	maybe := func() bool { return random.IntN(2) == 1 }
	count, broken := 0, 0
	for range 300_000 {
		p := usergroup.Problem{
			Finding: usergroup.Finding(random.IntN(int(usergroup.OtherSpelling) + 1)), ID: "acme",
			Operation: usergroup.Operation(random.IntN(int(usergroup.CheckService))), URL: "https://service/api/user",
			Done: usergroup.Happened(random.IntN(3)), Placeholder: usergroup.Placeholder(random.IntN(3)),
			LookupUncertain: maybe(), MayBeLive: maybe(), Empty: maybe(), AfterDeletion: maybe(), NewToken: maybe(),
			Known: known[random.IntN(len(known))], Call: calls[random.IntN(len(calls))],
			Response: responses[random.IntN(len(responses))], Cause: causes[random.IntN(len(causes))],
		}
		switch p.Finding {
		case usergroup.RunEnded:
			p.Cause = cmp.Or(p.Cause, causes[1])
		case usergroup.MayHaveExisted, usergroup.NotTakenAsSent, usergroup.Claimed:
			p.Sent = api.GroupRequest{Name: &sent, Mapping: map[string]string{}}
		}
		if !occurs(&p) || p.ChangedNothing() {
			continue
		}
		count++
		said := explanation{&p}.title() + "\n" + explanation{&p}.detail()
		for _, sentence := range sentences {
			has, may := strings.Contains(said, sentence.text), sentence.when(&p)
			if has && !may || sentence.always && may && !has {
				if broken++; broken <= 10 {
					t.Errorf("%q: %t, want %t, in\n%s\n%s", sentence.text, has, may, facts(&p), said)
				}
			}
		}
	}
	t.Logf("%d combinations, %d sentences that do not follow", count, broken)
}

// occurs reports whether a combination of facts makes sense.
func occurs(p *usergroup.Problem) bool {
	creates := p.Operation == usergroup.Create || p.Operation == usergroup.Adopt
	rotated := done(usergroup.Rotate, usergroup.Yes)(p)
	switch nothing := p.Placeholder == usergroup.NoPlaceholder && !p.LookupUncertain; p.Finding {
	case usergroup.Exists, usergroup.MayHaveExisted, usergroup.Claimed, usergroup.Recreated:
		return p.Operation == usergroup.Create && nothing && !p.NewToken &&
			(p.Finding != usergroup.Exists || p.Done == usergroup.No)
	case usergroup.Adopted, usergroup.NotTakenAsSent:
		return (p.Operation == usergroup.Adopt || p.Operation == usergroup.Update) && nothing
	case usergroup.Kept, usergroup.AnotherRemains:
		return p.Operation == usergroup.Delete && nothing
	case usergroup.Replaced: // An update compares the team_ids.
		hidden := p.Known.TeamID == nil || p.Response.TeamID == nil
		if p.Operation == usergroup.Create || p.Operation == usergroup.Update && hidden {
			return false
		}
	case usergroup.WrongEnvironment:
		if creates || !p.Known.Existed() {
			return false
		}
	case usergroup.FoundEmpty:
		return p.Operation == usergroup.LookUp && p.Empty && nothing && !p.MayBeLive && p.Done == usergroup.No
	}
	return (p.Operation != usergroup.LookUp || p.Done == usergroup.No) && (!p.NewToken || rotated) &&
		(!p.AfterDeletion || creates) && !p.Empty &&
		(p.Operation != usergroup.Delete || p.Known.Existed()) &&
		(!p.MayBeLive || p.Placeholder != usergroup.PlaceholderRemoved)
}

func facts(p *usergroup.Problem) string {
	const format = "%v, done %d, placeholder %d, uncertain %t, live %t, empty %t, deleted %t, known %t, cause %v"
	return fmt.Sprintf(format, p, p.Done, p.Placeholder, p.LookupUncertain, p.MayBeLive, p.Empty, p.AfterDeletion,
		p.Known.Existed(), p.Cause)
}

// TestEveryObstacleHasAdvice checks that each obstacle has advice of its own. It replaces the advice for the kind of
// the failure, except for an unknown outcome, where it comes first.
func TestEveryObstacleHasAdvice(t *testing.T) {
	t.Parallel()
	for value, constant := range constantsOfAPI(t, "Obstacle") {
		call := api.Error{Kind: api.Refused, Method: "GET", Obstacle: api.Obstacle(value)}
		problem := usergroup.Problem{Operation: usergroup.Update, Call: &call}
		got := explanation{&problem}.next()
		if got == "" || (got == kindWords[api.Refused]) != (call.Obstacle == api.NoObstacle) || strings.Contains(got, "{") {
			t.Errorf("%s: %q", constant, got)
		}
		want := got + " " + operationWords[usergroup.Update].next
		call.Kind, problem.Done = api.UnknownOutcome, usergroup.Maybe
		if got := (explanation{&problem}).next(); got != want && call.Obstacle != api.NoObstacle {
			t.Errorf("%s with an unknown outcome: %q, want %q", constant, got, want)
		}
	}
}

// TestEveryKindHasAdvice checks that without an obstacle, the advice follows from the kind, or from the operation if
// the kind says too little.
func TestEveryKindHasAdvice(t *testing.T) {
	t.Parallel()
	for kind, constant := range constantsOfAPI(t, "Kind") {
		call := api.Error{Kind: api.Kind(kind)}
		problem := usergroup.Problem{Operation: usergroup.Update, Done: usergroup.Maybe, Call: &call}
		got, ofOperation := explanation{&problem}.next(), operationWords[usergroup.Update].next
		ofKind := kind != int(api.UnknownOutcome) && kind != int(api.Incomplete)
		if got == "" || (got != ofOperation) != ofKind {
			t.Errorf("%s: %q", constant, got)
		}
	}
}

// constantsOfAPI returns the names of the constants of an enumeration, at the index of their values.
func constantsOfAPI(t *testing.T, enumeration string) []string {
	t.Helper()
	block := regexp.MustCompile(`(?ms)^\t\w+ +` + enumeration + ` = iota.*?^\)`)
	names := regexp.MustCompile(`(?m)^\t\w+`).FindAllString(block.FindString(sources(t, "../api")), -1)
	if len(names) < 2 {
		t.Fatalf("internal/api has no constants of type %s", enumeration)
	}
	return names
}

// TestAPINamesNoArguments checks that internal/api leaves it to this package to name arguments and variables.
func TestAPINamesNoArguments(t *testing.T) {
	t.Parallel()
	names := []string{"EMBED_", "_PROXY"}
	for name := range providerSchema(t).Attributes {
		if strings.Contains(name, "_") {
			names = append(names, name)
		}
	}
	named := regexp.MustCompile(`"[^"\n]*(` + strings.Join(names, "|") + `)[^"\n]*"`)
	if text := named.FindString(sources(t, "../api")); text != "" {
		t.Errorf("internal/api names an argument: %s", text)
	}
}

// TestRemovalCommandIsQuotedForTheShell checks that quotes in an ID or an address end neither the argument nor the
// string in it.
func TestRemovalCommandIsQuotedForTheShell(t *testing.T) {
	t.Parallel()
	problem := usergroup.Problem{URL: "https://a/it's", ID: `o'typo "x" $HOME`}
	got, address := explanation{&problem}.withCommand(""), `'https://a/it'\''s'`
	body := `'{"user_group_id":"o'\''typo \"x\" $HOME"}'`
	if !strings.Contains(got, " -X DELETE "+address+" -H ") || !strings.HasSuffix(got, " -d "+body) {
		t.Errorf("got %s, want it to contain %s and to end with %s", got, address, body)
	}
}
