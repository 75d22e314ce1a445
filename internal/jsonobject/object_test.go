package jsonobject

import (
	"bytes"
	jsonv1 "encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sent, seen string
		want       [3][]string // remained, differ, missing
	}{
		{`{"a":1,"b":{"c":2,"d":"<"}}`, `{"b":{"d":"\u003C","c":2e0},"\u0061":1}`, [3][]string{}},
		{
			`{"_":0}`, `{"_":0,"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0}`,
			[3][]string{{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, nil, nil},
		},
		{`{"a":null,"same":null}`, `{"b":null,"same":null}`, [3][]string{{"b"}, nil, {"a"}}},
		{`{"a":{"x":1},"b":[1,2]}`, `{"a":{"x":1,"y":2},"b":[2,1]}`, [3][]string{nil, {"a", "b"}, nil}},
		{
			`{"<m2>":0,"same":"x","d2":1,"m1":0,"d1":9007199254740993}`,
			`{"d1":9007199254740992,"r2":0,"d2":"1","same":"\u0078","r1":0}`,
			[3][]string{{"r1", "r2"}, {"d1", "d2"}, {"<m2>", "m1"}},
		},
	} {
		sent, seen := mustParse(t, test.sent), mustParse(t, test.seen)
		var got [3][]string
		got[0], got[1], got[2] = Contradictions(sent, seen)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("sent %s, seen %s: %s", test.sent, test.seen, diff)
		}
		got[2], got[1], got[0] = Contradictions(seen, sent)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("sent %s, seen %s: %s", test.seen, test.sent, diff)
		}
	}
	if remained, _, _ := Contradictions(Object{}, mustParse(t, `{"a":1}`)); len(remained) != 1 {
		t.Errorf("with the zero Object sent, the remaining keys are %q, want one", remained)
	}
}

func TestObjectsEncodeAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	type body struct {
		Properties Object `json:"properties,omitzero"`
	}
	none, empty := Object{}, mustParse(t, "{ }")
	if !none.IsZero() || empty.IsZero() || Equal(none, empty) || none.Canonical() != "" {
		t.Error("the zero Object and the empty object are not distinguished")
	}
	for name, marshal := range map[string]func(any) ([]byte, error){
		"encoding/json": jsonv1.Marshal,
		"json/v2":       func(v any) ([]byte, error) { return json.Marshal(v) },
	} {
		for want, object := range map[string]Object{
			`{}`:                none,
			`{"properties":{}}`: empty,
			`{"properties":{"b":1.0e30,"a":9007199254740993}}`: mustParse(t, `{ "b" : 1.0e30, "a" : 9007199254740993 }`),
		} {
			if got, err := marshal(body{object}); err != nil || string(got) != want {
				t.Errorf("%s: encoded as %s (%v), want %s", name, got, err, want)
			}
		}
		if got, err := marshal(none); err == nil {
			t.Errorf("%s: the zero Object was encoded as %s, so a service would empty the properties", name, got)
		}
	}
}

func TestNothingPrintsTheText(t *testing.T) {
	t.Parallel()
	object := mustParse(t, `{"hunter2":"hunter2","x":{"hunter2":1}}`)
	_, err := Parse(`{"hunter2":1,"hunter2":"hunter2"}`)
	var printed bytes.Buffer
	for _, verb := range []string{"%v ", "%+v ", "%#v ", "%s ", "%q ", "%x ", "%d "} {
		fmt.Fprintf(&printed, strings.Repeat(verb, 5), object, &object, []Object{object}, struct{ O Object }{object}, err)
	}
	slog.New(slog.NewTextHandler(&printed, nil)).Info("text", "object", object, "error", err)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("json", "object", object, "error", err)
	if s := printed.String(); strings.Contains(s, "hunter2") || strings.Contains(s, fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("the text was printed:\n%s", s)
	}
	if got := fmt.Sprint(object, Object{}); got != "(JSON object) (no JSON object)" {
		t.Errorf("printed as %q", got)
	}
}
