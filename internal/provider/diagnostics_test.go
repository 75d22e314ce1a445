package provider

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// TestInternalErrorsAreShown checks that errors that only a bug can cause are reported as well.
func TestInternalErrorsAreShown(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	report(&diags, errors.New("unforeseen"))
	dataFrom[resourceData]("something else", &diags)
	if len(diags) != 2 || diags.ErrorsCount() != 2 ||
		diags[0].Summary() != titleInternal || diags[1].Summary() != titleInternal {
		t.Errorf("want two errors, got %v", diags)
	}
	dataFrom[resourceData](nil, &diags)
	if len(diags) != 2 {
		t.Errorf("a provider that is not configured yet caused an error: %v", diags)
	}
}

func TestTitlesShortenLongIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"acme":                    "Cannot create user group \"acme\"",
		strings.Repeat("x", 53):   "Cannot create user group \"" + strings.Repeat("x", 53) + "\"",
		strings.Repeat("é", 300):  "Cannot create user group \"" + strings.Repeat("é", 52) + "…\"",
		strings.Repeat("\"", 300): "Cannot create user group \"" + strings.Repeat(`\"`, 26) + "…\"",
	} {
		if got := titleFor("Cannot create user group %q", id); got != want {
			t.Errorf("%q: got %s, want %s", id, got, want)
		}
	}
}

func TestRemovalCommandIsQuotedForTheShell(t *testing.T) {
	t.Parallel()
	if got, want := removalCommand("it's"), `-d '{"user_group_id":"it'\''s"}'`; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want it to end with %s", got, want)
	}
}
