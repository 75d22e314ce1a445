package provider

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"**Never** use `timestamp()`, see [the guide](../guides/a_b.md).":             "Never use timestamp(), see the guide.",
		"a *user group* at the service, and the `*_wo_version` arguments of *others*": "a user group at the service, and the *_wo_version arguments of others",
		"`{ quarter = \"2026-Q4\" }` and 2 * 3 * 4":                                   "{ quarter = \"2026-Q4\" } and 2 * 3 * 4",
	} {
		if got := plain(markdown); got != want {
			t.Errorf("%q became %q, want %q", markdown, got, want)
		}
	}
}

// The protocol carries the Markdown alone where there is any, so this looks at the schemas themselves.
func TestSchemasAreDescribedPlainlyToo(t *testing.T) {
	t.Parallel()
	all := map[string]described{}
	schemas := frameworkSchemas(t)
	delete(schemas, "identity") // it has plain descriptions only
	for object, schema := range schemas {
		all[object] = schema
		// The attributes' types have no name outside of the framework.
		for name, attribute := range reflect.ValueOf(schema).FieldByName("Attributes").Seq2() {
			all[object+"."+name.String()] = attribute.Interface().(described)
		}
	}

	marks := regexp.MustCompile("`|\\*\\*|\\]\\(")
	for what, described := range all {
		text := described.GetDescription()
		if text == "" || len(text) > len(described.GetMarkdownDescription()) || marks.MatchString(text) || strings.TrimSpace(text) != text {
			t.Errorf("%s is described as %q", what, text)
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d descriptions were looked at", len(all))
	}
}
