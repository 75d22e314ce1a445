package jsonobject

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEqual(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"the same":                  {`{"a":1}`, `{"a":1}`, true},
		"white space":               {`{"a":[1,2]}`, "{\n\t\"a\" : [ 1 ,\r\n2 ]\n}", true},
		"key order":                 {`{"a":1,"b":{"c":1,"d":2}}`, `{"b":{"d":2,"c":1},"a":1}`, true},
		"escapes":                   {`{"é":"a/\u0062😀"}`, `{"\u00e9":"\u0061\/b\uD83D\ude00"}`, true},
		"spelling of one":           {`{"a":[1,1,1,1]}`, `{"a":[1.0,1e0,10E-1,0.1e+1]}`, true},
		"zeros":                     {`{"a":[0,0,0]}`, `{"a":[-0,0.0,-0e7]}`, true},
		"large":                     {`{"a":1e30}`, `{"a":1000000000000000000000000000000}`, true},
		"small":                     {`{"a":1e-7}`, `{"a":0.0000001}`, true},
		"integers beyond float64":   {`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		"integers beyond 64 bits":   {`{"a":18446744073709551617}`, `{"a":18446744073709551616}`, false},
		"fractions beyond float64":  {`{"a":0.1}`, `{"a":0.1000000000000000055511151231257827}`, false},
		"beyond a big.Float of 512": {`{"a":1e300}`, `{"a":1` + strings.Repeat("0", 299) + `1}`, false},
		"sign":                      {`{"a":1}`, `{"a":-1}`, false},
		"magnitude":                 {`{"a":1}`, `{"a":10}`, false},
		"number and string":         {`{"a":1}`, `{"a":"1"}`, false},
		"null and absent":           {`{"a":null}`, `{}`, false},
		"null and false":            {`{"a":null}`, `{"a":false}`, false},
		"empty array and object":    {`{"a":[]}`, `{"a":{}}`, false},
		"order of elements":         {`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		"more elements":             {`{"a":[1]}`, `{"a":[1,1]}`, false},
		"more members":              {`{"a":1}`, `{"a":1,"b":1}`, false},
		"case of keys":              {`{"a":1}`, `{"A":1}`, false},
		"case of strings":           {`{"a":"x"}`, `{"a":"X"}`, false},
		"normalization":             {`{"a":"é"}`, `{"a":"e\u0301"}`, false},
		"structure in a string":     {`{"a":"1,\"b\":2"}`, `{"a":"1","b":2}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := mustParse(t, test.a), mustParse(t, test.b)
			if Equal(a, b) != test.want || Equal(b, a) != test.want {
				t.Errorf("Equal = %t and %t, want %t", Equal(a, b), Equal(b, a), test.want)
			}
			if !Equal(a, a) || !Equal(b, b) {
				t.Error("an object differs from itself")
			}
		})
	}
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sent, seen                string
		remained, differ, missing []string
	}{
		"none":               {sent: `{"a":1,"b":{"c":2,"d":3}}`, seen: `{"b":{"d":3.0,"c":2e0},"\u0061":1}`},
		"both empty":         {sent: `{}`, seen: `{}`},
		"all remained":       {sent: `{}`, seen: `{"b":1,"a":2}`, remained: []string{"a", "b"}},
		"all missing":        {sent: `{"b":1,"a":2}`, seen: `{}`, missing: []string{"a", "b"}},
		"null is a value":    {sent: `{"a":null}`, seen: `{"b":null}`, remained: []string{"b"}, missing: []string{"a"}},
		"nested differences": {sent: `{"a":{"x":1},"b":[1,2]}`, seen: `{"a":{"x":1,"y":2},"b":[2,1]}`, differ: []string{"a", "b"}},
		"everything": {
			sent:     `{"m2":0,"same":"x","d2":1,"m1":0,"d1":9007199254740993}`,
			seen:     `{"d1":9007199254740992,"r2":0,"d2":"1","same":"\u0078","r1":0}`,
			remained: []string{"r1", "r2"}, differ: []string{"d1", "d2"}, missing: []string{"m1", "m2"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent, seen := mustParse(t, test.sent), mustParse(t, test.seen)
			remained, differ, missing := Contradictions(sent, seen)
			want := [][]string{test.remained, test.differ, test.missing}
			if diff := cmp.Diff(want, [][]string{remained, differ, missing}); diff != "" {
				t.Error(diff)
			}
			missing, differ, remained = Contradictions(seen, sent)
			if diff := cmp.Diff(want, [][]string{remained, differ, missing}); diff != "" {
				t.Error("the other way round: ", diff)
			}
		})
	}
}
