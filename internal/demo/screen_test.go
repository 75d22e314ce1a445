package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestASecretIsSeenHoweverItIsPrinted(t *testing.T) {
	for name, printed := range map[string]string{
		"plain":    `token = "tok-1234567890"`,
		"wrapped":  "│ the token is tok-1234\n│ 567890 and",
		"coloured": "\x1b[1mtok-\x1b[0m1234567890",
	} {
		s := &screen{out: &bytes.Buffer{}}
		s.say("%s", printed)
		if !s.showed("tok-1234567890") {
			t.Errorf("%s: not seen", name)
		}
		if s.showed("tok-other") {
			t.Errorf("%s: another one seen", name)
		}
	}
}

func TestFoldLeavesOutWhatIsAlike(t *testing.T) {
	var out bytes.Buffer
	s := &screen{out: &out}
	f := &fold{screen: s}
	var engine strings.Builder
	for i := range 5 {
		fmt.Fprintf(&engine, "\x1b[1membed_user_group.customer[\"c%d\"]: Refreshing state... [id=c%d]\x1b[0m\n", i, i)
	}
	engine.WriteString("\nThe actions:\n\n")
	for i := range 5 {
		fmt.Fprintf(&engine, "\x1b[1m  # embed_user_group.customer[\"c%d\"]\x1b[0m will be created\x1b[0m\n  + resource {\n      + name = \"n%d\"\n    }\n\n", i, i)
	}
	engine.WriteString("Plan: 5 to add.\nno line end")
	for text := engine.String(); text != ""; {
		n := min(7, len(text))
		if _, err := f.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	shown := out.String()
	for text, want := range map[string]int{
		"Refreshing state":     keep,
		"will be created":      keep,
		"+ name =":             keep,
		"2 more lines":         1,
		"2 more groups":        1,
		"The actions:":         1,
		"Plan: 5 to add.":      1,
		"no line end":          1,
		"Refreshing state...":  keep,
		"[id=c3]":              0,
		"customer[\"c4\"]":     0,
		"    }\n\n  # … and 2": 1,
	} {
		if got := strings.Count(shown, text); got != want {
			t.Errorf("%q is shown %d times, want %d\n%s", text, got, want, shown)
		}
	}
	// What was folded still counts when it is a secret.
	if !s.showed(`"n4"`) {
		t.Error("what was folded is forgotten")
	}
}
