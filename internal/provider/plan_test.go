package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestPlanLeavesUnknownOnlyWhatItsCallsCanChange(t *testing.T) {
	t.Parallel()
	const triggers, rotation, tag = "rotate_token_when_changed", "token token_fingerprint", "api_environment_tag"
	p, anonymous := start(t, emulator.Options{}), start(t, emulator.Options{Omit: []string{"team_id"}})
	const all = "id team_id api_environment_tag " + rotation
	fresh := p.Created(Acme())
	tagged := p.Updated(fresh, Acme("name", "New"))
	hidden := p.Updated(tagged, Acme("name", "New", "store_token", false))
	noTeam := anonymous.Created(Acme())
	for name, test := range map[string]struct {
		state State
		// changes apply to a configuration with the name New. In fresh and noTeam, the name is Acme.
		changes []any
		open    string
		null    string
	}{
		"nothing":          {tagged, nil, "", ""},
		"no call":          {fresh, []any{"name", "Acme", "adopt_existing", true}, "", tag},
		"renamed":          {tagged, []any{"name", "Newer"}, "", ""},
		"renamed, no tag":  {fresh, nil, tag, ""},
		"renamed, no team": {noTeam, nil, tag + " team_id", ""},
		"rotated":          {tagged, []any{triggers, Quarter("Q2")}, rotation, ""},
		"rotated, no tag":  {fresh, []any{"name", "Acme", triggers, Quarter("Q2")}, tag + " " + rotation, ""},
		"hidden":           {tagged, []any{"store_token", false}, "", "token"},
		"hidden and rotated": {
			tagged, []any{"store_token", false, triggers, Quarter("Q2")}, "token_fingerprint", "token",
		},
		"hidden no more":              {hidden, []any{"store_token", true}, "", "token"},
		"hidden no more, and rotated": {hidden, []any{triggers, Quarter("Q2")}, rotation, ""},
		"perhaps hidden":              {tagged, []any{"store_token", Unknown}, "token", ""},
		"perhaps hidden no more":      {hidden, []any{"store_token", Unknown}, "", "token"},
		"perhaps hidden, and rotated": {tagged, []any{"store_token", Unknown, triggers, Quarter("Q2")}, rotation, ""},
		"another ID":                  {tagged, []any{"user_group_id", "acme2"}, all, ""},
		"triggers unknown":            {tagged, []any{triggers, Unknown}, rotation, ""},
	} {
		plan := p.Plan(test.state, With(Acme("name", "New"), test.changes...))
		for _, computed := range []string{"api_environment_tag", "id", "team_id", "token", "token_fingerprint"} {
			want := test.state.Get(computed)
			if slices.Contains(strings.Fields(test.open), computed) {
				want = Unknown
			} else if computed == test.null {
				want = nil
			}
			if got := plan.Get(computed); got != want {
				t.Errorf("%s: %s is planned as %v, want %v", name, computed, got, want)
			}
		}
	}
}

// Adding or removing the map or a key does not rotate the token.
func TestOnlyANewValueOfATriggerRotates(t *testing.T) {
	t.Parallel()
	type o = Object
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	for name, test := range map[string]struct {
		before, now any
		rotates     bool
	}{
		"the same":                  {o{"a": "1"}, o{"a": "1"}, false},
		"new map":                   {nil, o{"a": "1"}, false},
		"dropped map":               {o{"a": "1"}, nil, false},
		"emptied map":               {o{"a": "1"}, o{}, false},
		"changed value":             {o{"a": "1"}, o{"a": "2"}, true},
		"new key":                   {o{"a": "1"}, o{"a": "1", "b": "1"}, false},
		"dropped key":               {o{"a": "1", "b": "1"}, o{"a": "1"}, false},
		"renamed key":               {o{"a": "1"}, o{"b": "1"}, false},
		"new and changed":           {o{"a": "1"}, o{"a": "2", "b": "1"}, true},
		"dropped and changed":       {o{"a": "1", "b": "1"}, o{"b": "2"}, true},
		"null to value":             {o{"a": nil}, o{"a": "1"}, true},
		"value to null":             {o{"a": "1"}, o{"a": nil}, true},
		"null to empty":             {o{"a": nil}, o{"a": ""}, true},
		"null stays":                {o{"a": nil}, o{"a": nil}, false},
		"value unknown":             {o{"a": "1"}, o{"a": Unknown}, true},
		"new value unknown":         {o{"a": "1"}, o{"a": "1", "b": Unknown}, false},
		"map unknown":               {o{"a": "1"}, Unknown, true},
		"map unknown, none before":  {nil, Unknown, false},
		"map unknown, empty before": {o{}, Unknown, false},
	} {
		prior := p.Edited(state, "rotate_token_when_changed", test.before)
		plan := p.Plan(prior, Acme("rotate_token_when_changed", test.now))
		if got := plan.Get("token_fingerprint") == Unknown; got != test.rotates {
			t.Errorf("%s: rotates is %t, want %t", name, got, test.rotates)
		}
	}
}
