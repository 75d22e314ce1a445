package jsonobject

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var errorForm = regexp.MustCompile(`^line [1-9]\d*, column [1-9]\d*: [a-zA-Z0-9, -]+$`)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"a":1,"a":2}`, ` { "b" : [ 1.50 , -0 , 1E+30 , true , null , "<\u00e9\ud83d\ude00>" ] , "a" : { } } `,
		`{"a":"\ud800"}`, "{\"a\":\"<\u0327\u2028\xff\"}", `{"z":{"b":{"d":1,"c":2},"a":3},"y":[{"f":1,"e":2}]}`, `{"a":1e1001}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		object, err := Parse(text)
		if err != nil {
			checkRefusal(t, text, err)
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatal("encoding/json does not take this for JSON")
		}
		if object.raw != text {
			t.Error("the text is not kept as it was")
		}
		canonical := object.Canonical()
		if len(canonical) > 6*len(text)+MaxExpansion {
			t.Errorf("%d bytes grew to %d", len(text), len(canonical))
		}
		again := mustParse(t, canonical)
		if again.Canonical() != canonical || !Equal(object, again) {
			t.Errorf("not a fixed point: %q, then %q", canonical, again.Canonical())
		}
		if want, ok := reference(readTree(t, text)); ok && canonical != want {
			t.Errorf("Canonical() = %q, encoding/json and math/big make it %q", canonical, want)
		}
		checkMembers(t, object)
	})
}

// checkRefusal checks the error that Parse gave for text.
func checkRefusal(t *testing.T, text string, err error) {
	t.Helper()
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("%T is not an *Error", err)
	}
	if fault.Offset < 0 || fault.Offset > len(text) {
		t.Errorf("offset %d in a text of %d bytes", fault.Offset, len(text))
	}
	if !errorForm.MatchString(err.Error()) {
		t.Errorf("the error is %q", err.Error())
	}
	switch fault.Kind {
	case KindNotJSON, KindByteOrderMark, KindSyntax, KindUnexpectedEnd, KindTrailing:
		if json.Valid([]byte(text)) && utf8.ValidString(text) {
			t.Errorf("encoding/json takes this for JSON, but it was refused: %v", err)
		}
	}
}

// checkMembers checks that keys and values stand where the object believes they do.
func checkMembers(t *testing.T, object Object) {
	t.Helper()
	var b strings.Builder
	for i, m := range object.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(referenceString(m.key) + ":" + object.value(m))
	}
	if got := "{" + b.String() + "}"; got != object.Canonical() {
		t.Errorf("the members make %q", got)
	}
}

func FuzzEqual(f *testing.F) {
	for i, text := range []string{
		`{}`, `{"a":1}`, `{"b":[1.50,-0,1E+30,true,null,"<é😀>"],"a":{}}`, `{"z":{"b":{"d":1,"c":2},"a":3},"y":[{"f":1,"e":2}]}`,
		`{"":0.00123e2,"\u0000":["","\u2028",9007199254740993,1e-1000]}`,
	} {
		f.Add(text, uint64(i))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		object, err := Parse(text)
		if err != nil {
			t.Skip()
		}
		root := readTree(t, text)
		random := rand.New(rand.NewPCG(seed, 0))

		rewritten := mustParse(t, rewrite(random, root))
		if !Equal(object, rewritten) || !Equal(rewritten, object) {
			t.Errorf("differs from itself, written as %q", rewritten.raw)
		}
		if remained, differ, missing := Contradictions(object, rewritten); remained != nil || differ != nil || missing != nil {
			t.Errorf("contradicts itself, written as %q: %q %q %q", rewritten.raw, remained, differ, missing)
		}

		mutate(random, root)
		mutated := mustParse(t, rewrite(random, root))
		if Equal(object, mutated) || Equal(mutated, object) {
			t.Errorf("equals %q", mutated.raw)
		}
		if remained, differ, missing := Contradictions(object, mutated); remained == nil && differ == nil && missing == nil {
			t.Errorf("%q contradicts nothing", mutated.raw)
		}
	})
}
