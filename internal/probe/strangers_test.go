package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
			says:  "Cannot be used like this Updating is refused, also with name, an empty mapping and properties: 403",
			never: "Manage everything Updating",
		},
		"texts are escaped": {
			habit: always(rewrites(html.EscapeString)), never: "Write texts as the service shows them|Texts are changed",
			says: "Texts with &, < and accents come back with HTML entities|never write an entity",
		},
		"texts in properties are escaped": {
			habit: always(rewritesProperties(html.EscapeString)), never: "Texts are changed",
			says: "Texts with &, < and accents come back with HTML entities",
		},
		"tags are removed from properties": {
			habit: always(rewritesProperties(withoutTags)),
			says:  "Texts with &, < and accents are changed|Write texts as the service shows them", never: "entities",
		},
		"accents are removed from properties": {
			habit: always(rewritesProperties(strings.NewReplacer("É", "E").Replace)),
			says:  "Texts with &, < and accents are changed", never: "entities",
		},
		"texts are escaped twice": {
			habit: always(rewrites(func(text string) string { return html.EscapeString(html.EscapeString(text)) })),
			says:  "Texts with &, < and accents are changed", never: "entities",
		},
		"properties are merged, and null removes one": {
			habit: merges, says: "Properties in an update are merged into the old ones|jsonencode({ key = null })",
			never: "at the service, too",
		},
		"properties are merged, and null is kept": {
			options: o{Updates: emulator.UpdatesMerge}, never: "= null",
			says: "Properties in an update are merged into the old ones|Remove it at the service, too",
		},
		"a firewall refuses bursts": {
			habit: firewall(10, 2*time.Second, 2*time.Second),
			says:  "something in front of the service|Write this line|requests_per_second = 5 guide",
			never: "with an old token is refused: 403|were not refused|is refused: 403|Cannot be used",
		},
		"a firewall refuses bursts, and goes on for a quarter of an hour": {
			habit: firewall(5, 2*time.Second, 15*time.Minute), ends: true,
			says:  "something in front of the service|requests_per_second = 5",
			never: "with an old token is refused|were not refused|is refused: 403|key is wrong",
		},
		"old tokens are refused with a page": {
			options: o{StaleTokenStatus: 403}, habit: always(pages), says: "Rotating with an old token is refused: 403",
			never: "requests_per_second|in front of",
		},
		"the last token works on": {
			habit: always(lastTokenWorks()), never: "with an old token is refused",
			says: "Rotating with an old token succeeds with the last one|Deleting with an old token succeeds",
		},
		"deleted rows are emptied": {
			habit: always(oneNumberForAnID()), never: "team_id is not used again|for a new group|has another team_id",
			says: "The ID of a deleted group leads to a group with the old team_id",
		},
		"an index forgets late": {
			habit: always(forgetsLate()), says: "A deleted group is still found by a lookup some seconds later",
			never: "brings back|is gone at once|left no groups behind",
		},
		"deletions are carried out later": {options: o{DeletionDelay: 4 * time.Second}, never: "left no groups behind"},
		"an echo": {
			options: o{Answers: emulator.AnswersEcho}, says: "Manage everything What the service stores is not shown",
			never: "What an update does not|Properties in an update|Empty properties in|Texts with|A lookup of an existing",
		},
		"names are capitals": {
			habit: always(rewritesName(strings.ToUpper, call.passed)), says: "Texts with &, < and accents are changed",
			never: "not shown by lookups|is cleared",
		},
		"properties have a number that counts on": {
			habit: always(counts()), says: "What an update does not send is kept", never: "is cleared",
		},
		"lookups show a mask": {
			habit: always(masks), ends: true, says: "Cannot be used like this The token in responses is masked in lookups",
			never: "a cache seems",
		},
		"an account has no room for a second group": {
			options: o{MaxGroups: 2}, never: "is refused: 402|are refused: 402",
			says: "Deleting works",
		},
		"an account has no room for a third group": {
			options: o{MaxGroups: 3}, never: "is refused: 402|are refused: 402",
		},
		"missing groups are told from missing properties": {
			options: o{RequiredToUpdate: all[2:], EmptyIsAbsent: true}, says: "Updating a missing group is refused: 404",
		},
		"updates find a group late": {
			habit: always(updatesLate()), says: "Updating is allowed", never: "Cannot be used|Manage everything",
		},
		"IDs are shown in capitals": {
			options: o{UpperIDs: true}, says: "like this IDs in lower case are shown as EMBED-PROBE-|Write IDs as",
			never: "refer to",
		},
		"updates are carried out later": {
			habit: queuesUpdates, never: "are changed|is cleared|Empty properties in an update are ignored",
			says: "A lookup after a change shows the old values for a while",
		},
		"a firewall refuses tags": {
			habit: always(refusesTags), says: "Texts with &, < and accents are refused: 403", never: "requests_per_second",
		},
	}
}

// TestStrangersAreToldWhatIsSo: what the probe says about the services of strangers is true, and helps.
func TestStrangersAreToldWhatIsSo(t *testing.T) {
	t.Parallel()
	for name, test := range strangers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				report, text := test.asked(t)
				printed := strings.Join(strings.Fields(text), " ")
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
					t.Log(text)
				}
			})
		})
	}
}

// asked runs the probe, and returns what it prints with all answers.
func (test stranger) asked(t *testing.T) (report Report, printed string) {
	t.Helper()
	s := newService(t, test.options)
	if test.habit != nil {
		s.between = test.habit(s)
	}
	report = s.run(t.Context(), "Testing", "")
	return report, s.printed.String()
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

// rewrites changes the name and the texts in properties of each request.
func rewrites(change func(string) string) between {
	return rewritesName(change, rewritesProperties(change))
}

// rewritesName changes the name of each request, and does the rest.
func rewritesName(change func(string) string, rest between) between {
	return func(c call) *response {
		var name string
		if json.Unmarshal(c.body["name"], &name) == nil {
			c.body["name"], _ = json.Marshal(change(name))
		}
		return rest(c)
	}
}

// rewritesProperties changes the texts in properties of each request.
func rewritesProperties(change func(string) string) between {
	return func(c call) *response {
		var properties map[string]any
		if json.Unmarshal(c.body["properties"], &properties) == nil {
			for key, value := range properties {
				if text, is := value.(string); is {
					properties[key] = change(text)
				}
			}
			c.body["properties"], _ = json.Marshal(properties)
		}
		return c.next()
	}
}

func withoutTags(text string) string { return regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, "") }

// merges merges properties as RFC 7396 says: null removes a member.
func merges(s *service) between {
	return on(http.MethodPut, func(c call) *response {
		var id string
		var patch, merged map[string]any
		_ = json.Unmarshal(c.body["user_group_id"], &id)
		group, _ := s.In("Testing").Group(id)
		if json.Unmarshal(group.Properties, &merged) == nil && json.Unmarshal(c.body["properties"], &patch) == nil {
			for key, value := range patch {
				if merged[key] = value; value == nil {
					delete(merged, key)
				}
			}
			c.body["properties"], _ = json.Marshal(merged)
		}
		return c.next()
	})
}

func page(status int) *response {
	return responds(status, "text/html", fmt.Sprintf("<html><title>%d</title><h1>Denied</h1></html>", status))
}

// pages puts a page in place of each refusal with 403.
func pages(c call) *response {
	if r := c.next(); r.Code != http.StatusForbidden {
		return r
	}
	return page(http.StatusForbidden)
}

// firewall answers in place of the service once there are more calls than that in a time, for the time of a block.
func firewall(calls int, within, block time.Duration) func(*service) between {
	return func(*service) between {
		var last []time.Time
		var until time.Time
		return func(c call) *response {
			now := time.Now()
			isClosed := now.Before(until)
			last = slices.DeleteFunc(append(last, now), func(at time.Time) bool { return now.Sub(at) >= within })
			if !isClosed && len(last) > calls {
				until, isClosed = now.Add(block), true
			}
			if isClosed {
				return page(http.StatusForbidden)
			}
			return c.next()
		}
	}
}

// lastTokenWorks lets the token before the current one rotate and delete, too.
func lastTokenWorks() between {
	var before, current json.RawMessage
	return func(c call) *response {
		if before != nil && bytes.Equal(c.body["current_token"], before) {
			c.body["current_token"] = current
		}
		sent, r := c.body["current_token"], c.next()
		if token := regexp.MustCompile(`"ugt_\w+"`).Find(r.Body.Bytes()); token != nil && c.Method == http.MethodPost {
			before, current = sent, token
		}
		return r
	}
}

// shown changes the group in each response.
func shown(change func(id string, group map[string]any)) between {
	return func(c call) *response {
		r := c.next()
		var body map[string]any
		_ = json.Unmarshal(r.Body.Bytes(), &body)
		if group, has := body["user_group"].(map[string]any); has {
			change(fmt.Sprint(group["provided_id"]), group)
			text, _ := json.Marshal(body)
			r.Body = bytes.NewBuffer(text)
		}
		return r
	}
}

// oneNumberForAnID shows the first team_id of an ID for ever, as services do that only mark a row as deleted.
func oneNumberForAnID() between {
	numbers := map[string]any{}
	return shown(func(id string, group map[string]any) {
		if numbers[id] == nil {
			numbers[id] = group["team_id"]
		}
		group["team_id"] = numbers[id]
	})
}

// forgetsLate shows a group to lookups for some seconds after it was deleted.
func forgetsLate() between {
	type deleted struct {
		at   time.Time
		last string
	}
	seen, gone := map[string]string{}, map[string]deleted{}
	return func(c call) *response {
		id := string(c.body["user_group_id"])
		if ghost, is := gone[id]; is && c.Method == http.MethodGet && time.Since(ghost.at) < 4*time.Second {
			return responds(http.StatusOK, "application/json", strings.Replace(ghost.last, `"new_user_group":true`,
				`"new_user_group":false`, 1))
		}
		r := c.next()
		switch {
		case c.Method == http.MethodGet && r.Code == http.StatusOK:
			seen[id] = r.Body.String()
		case c.Method == http.MethodDelete && r.Code == http.StatusOK:
			gone[id] = deleted{time.Now(), seen[id]}
		}
		return r
	}
}

// counts shows one more property, with another value in each response.
func counts() between {
	n := 0
	return shown(func(_ string, group map[string]any) {
		if properties, is := group["properties"].(map[string]any); is && len(properties) > 0 {
			n++
			properties["changed"] = n
		}
	})
}

// masks shows only the end of a token to lookups that find a group.
func masks(c call) *response {
	r := c.next()
	if c.Method == http.MethodGet && !strings.Contains(r.Body.String(), `"new_user_group":true`) {
		r.Body = bytes.NewBuffer(regexp.MustCompile(`ugt_\w+(\w{4})`).ReplaceAll(r.Body.Bytes(), []byte("ugt_****$1")))
	}
	return r
}

// updatesLate refuses to update a group for some seconds after a call has created it.
func updatesLate() between {
	since := map[string]time.Time{}
	return func(c call) *response {
		id := string(c.body["user_group_id"])
		if at, known := since[id]; known && c.Method == http.MethodPut && time.Since(at) < 2*time.Second {
			return responds(http.StatusNotFound, "application/json", no)
		}
		r := c.next()
		if c.Method == http.MethodGet && strings.Contains(r.Body.String(), `"new_user_group":true`) {
			since[id] = time.Now()
		}
		return r
	}
}

// refusesTags refuses what looks like HTML.
func refusesTags(c call) *response {
	if bytes.Contains(c.body["properties"], []byte(`\u003c`)) {
		return page(http.StatusForbidden)
	}
	return c.next()
}

// queuesUpdates responds to an update with the group of before, and carries it out after three seconds.
func queuesUpdates(s *service) between {
	type update struct {
		due time.Time
		do  call
	}
	var queue []update
	return func(c call) *response {
		for len(queue) > 0 && !time.Now().Before(queue[0].due) {
			queue[0].do.next()
			queue = queue[1:]
		}
		var id string
		_ = json.Unmarshal(c.body["user_group_id"], &id)
		if _, there := s.In("Testing").Group(id); !there || c.Method != http.MethodPut {
			return c.next()
		}
		before := c.looks()
		queue = append(queue, update{time.Now().Add(3 * time.Second), c})
		return before
	}
}
