package probe

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// stranger is a service of somebody else, and what the probe has to say about it, and must not say. Each is a list of
// texts, separated by |.
type stranger struct {
	options emulator.Options
	habit   func(*service) between
	says    string
	never   string
	ends    bool // the probe cannot go on
}

func strangers() map[string]stranger {
	const unusable = "no apply can update|Do not use the provider"
	return map[string]stranger{
		"an update demands all fields": {
			options: o{RequiredToUpdate: all}, never: unusable + "|Cannot be used",
			says: "Manage everything Updating is refused unless it sends name, mapping and properties: 400",
		},
		"an update without all fields fails": {
			options: o{RequiredToUpdate: all, MissingStatus: 500}, never: unusable + "|Cannot be used",
			says: "Manage everything Updating is refused unless it sends name, mapping and properties: 500",
		},
		"an update demands the name": {
			options: o{RequiredToUpdate: all[:1]}, never: unusable + "|Cannot be used",
			says: "Manage everything Updating is refused unless it sends the name: 400",
		},
		"an update demands properties": {
			options: o{RequiredToUpdate: all[2:]}, never: unusable + "|Cannot be used",
			says: "Manage everything Updating is refused unless it sends properties: 400",
		},
		"an update demands properties that are not empty": {
			options: o{RequiredToUpdate: all[2:], EmptyIsAbsent: true}, never: unusable + "|Cannot be used",
			says: "Updating is refused unless it sends properties: 400|Empty properties in an update are refused: 400",
		},
		"an update demands a mapping that is not empty": {
			options: o{RequiredToUpdate: all, EmptyIsAbsent: true}, never: "With this key, no apply can update|Do not use",
			says: "Updating is refused, also with name, an empty mapping and properties: 400|demands another mapping",
		},
		"no update is allowed": {
			options: o{RequiredToUpdate: all, RequiredToCreate: all}, habit: always(on("PUT", refuses(403, no))),
			says: "Cannot be used Updating is refused, also with name, an empty mapping and properties: 403", never: "Manage everything Updating",
		},
	}
}

// TestStrangersAreToldWhatIsSo: what the probe says about the services of strangers is true, and helps.
func TestStrangersAreToldWhatIsSo(t *testing.T) {
	t.Parallel()
	for name, test := range strangers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, test.options)
				if test.habit != nil {
					s.between = test.habit(s)
				}
				report := s.run(t.Context(), "Testing", "")
				printed := strings.Join(strings.Fields(s.printed.String()), " ")
				for text := range strings.SplitSeq(test.says, "|") {
					if !strings.Contains(printed, text) {
						t.Errorf("the report does not say %q", text)
					}
				}
				for text := range strings.SplitSeq(test.never, "|") {
					if text != "" && strings.Contains(printed, text) {
						t.Errorf("the report says %q", text)
					}
				}
				if ends := report.Problem != ""; ends != test.ends {
					t.Errorf("the probe ends early: %t", ends)
				}
				if t.Failed() {
					t.Log(s.printed.String())
				}
			})
		})
	}
}

func always(habit between) func(*service) between { return func(*service) between { return habit } }

func responds(status int, kind, body string) *response {
	return &response{
		Code: status, HeaderMap: http.Header{"Content-Type": {kind}}, Body: bytes.NewBufferString(body),
	}
}

// refuses answers each call.
func refuses(status int, body string) between {
	return func(call) *response { return responds(status, "application/json", body) }
}
