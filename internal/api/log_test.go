package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

const (
	plantedHeader   = "header-4e5f60a1"
	plantedProperty = "property-9d8c7b6a"
)

// escapedJSON writes a string as a hostile or merely different encoder would: each character as an escape.
func escapedJSON(text string) string {
	var escaped strings.Builder
	escaped.WriteByte('"')
	for _, r := range text {
		fmt.Fprintf(&escaped, `\u%04x`, r)
	}
	escaped.WriteByte('"')
	return escaped.String()
}

// TestNothingSecretIsTold makes all calls against all kinds of answers, with the log at TRACE, and looks for the key, the
// tokens, the header and the properties in the log and in the errors.
func TestNothingSecretIsTold(t *testing.T) {
	t.Parallel()
	secrets := []string{plantedKey, plantedToken, plantedNewToken, plantedHeader, plantedProperty, "/slash+" + "ed="}
	echo := fmt.Sprintf("Token %s, %s, %s, %s", plantedKey, plantedToken, plantedNewToken, plantedHeader)
	group := fmt.Sprintf(`{"team_id":1001,"token":%q,"name":"Visible Name","provided_id":"visible-id","properties":{"p":%q}}`, plantedNewToken, plantedProperty)
	bodies := map[string]struct {
		status int
		body   string
	}{
		"success":              {200, `{"success":1,"new_user_group":true,"user_group":` + group + `}`},
		"refusal":              {400, fmt.Sprintf(`{"success":0,"message":%q,"user_group":%s}`, echo, group)},
		"refusal 200":          {200, fmt.Sprintf(`{"success":0,"error":%q,"token":%q}`, echo, plantedNewToken)},
		"escaped":              {400, `{"message":` + escapedJSON(echo) + `,"x":` + escapedJSON(echo) + `,"token":` + escapedJSON(plantedNewToken) + `}`},
		"escaped name":         {400, `{` + escapedJSON(plantedToken) + `:1,` + escapedJSON(plantedKey) + `:1}`},
		"escaped slash":        {400, `{"message":"is \/slash+ed=","x":"is \/slash+ed=","token":"\/slash+ed="}`},
		"group is a list":      {200, `{"success":1,"new_user_group":true,"user_group":[` + group + `]}`},
		"group is a text":      {200, fmt.Sprintf(`{"success":1,"new_user_group":true,"user_group":%q,"message":%q}`, group, echo)},
		"group in a text":      {400, fmt.Sprintf(`{"message":%q,"data":%q}`, echo, "["+group+"]")},
		"group elsewhere":      {200, `{"success":1,"data":{"user_group":` + group + `,"x":[` + group + `]}}`},
		"tokens in a list":     {200, fmt.Sprintf(`{"success":1,"tokens":[%q,{"value":%q}]}`, plantedNewToken, plantedNewToken)},
		"other names":          {200, fmt.Sprintf(`{"success":1,"userGroupToken":%q,"x":{"USER_GROUP_TOKEN":%q}}`, plantedNewToken, plantedNewToken)},
		"token as a name":      {200, fmt.Sprintf(`{"success":1,%q:1,%q:2,%q:3,%q:4}`, plantedKey, plantedKey, plantedToken, plantedToken)},
		"token twice":          {200, fmt.Sprintf(`{"success":1,"user_group":{"token":%q,"token":"other"},"x":%q}`, plantedNewToken, plantedNewToken)},
		"control characters":   {200, fmt.Sprintf(`{"success":1,"user_group":{"token":"%s\n","name":"%s\n"}}`, plantedNewToken, plantedNewToken)},
		"half":                 {200, `{"success":1,"user_group":` + group[:len(group)-5]},
		"text":                 {500, echo},
		"HTML":                 {200, "<html>" + echo + "</html>"},
		"throttled":            {429, fmt.Sprintf(`{"message":%q}`, echo)},
		"unauthorised":         {401, fmt.Sprintf(`{"message":%q}`, echo)},
		"redirect":             {302, fmt.Sprintf(`{"message":%q}`, echo)},
		"status text":          {599, fmt.Sprintf(`{"detail":%q}`, echo)},
		"properties elsewhere": {400, fmt.Sprintf(`{"x":{"properties":{"p":%q}},"properties":%q}`, plantedProperty, plantedProperty)},
		"deep":                 {200, `{"success":1,"user_group":{"user_group":{"user_group":` + group + `}}}`},
		"token within a token": {400, fmt.Sprintf(`{"token":{"a":[{"b":%q}]},"message":%q}`, plantedNewToken, plantedNewToken)},
		"numbers":              {400, `{"message":"x","y":1e400,"z":null,"t":true,"f":false,"e":{},"l":[]}`},
	}
	// Where the answer gives no sign of what in it is a token, only those known before can be masked.
	notKnown := map[string]string{
		"throttled": plantedNewToken, "unauthorised": plantedNewToken,
		"redirect": plantedNewToken, "status text": plantedNewToken,
	}
	for name, test := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(test.status, contentJSON, test.body))
			hidden := make([]string, 0, len(secrets))
			for _, secret := range secrets {
				if secret != notKnown[name] {
					hidden = append(hidden, secret)
				}
			}
			var log syncBuffer
			ctx := tflogtest.RootLogger(t.Context(), &log)
			client := newClient(t, server.URL, retries(1), func(c *Config) {
				c.Headers = map[string]Secret{"X-Secret": NewSecret(plantedHeader)}
				c.RetryWaitMax = time.Millisecond
			})
			wanted := GroupRequest{UserGroupID: "visible-id", Name: ptr("Visible Name"), Properties: mustObject(t, `{"p":"`+plantedProperty+`"}`)}
			_, getErr := client.GetOrCreate(ctx, wanted)
			_, putErr := client.Update(ctx, wanted)
			_, rotateErr := client.Rotate(ctx, NewSecret(plantedToken))
			deleteErr := client.Delete(ctx, DeleteRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "visible-id"})
			text := log.String()
			// Get and update do not know the old token, which the service made up as far as they can tell.
			for _, err := range []error{getErr, putErr} {
				wantAbsent(t, "an error", told(err), without(hidden, plantedToken)...)
			}
			for _, err := range []error{rotateErr, deleteErr} {
				wantAbsent(t, "an error", told(err), hidden...)
			}
			for line := range strings.Lines(text) {
				if strings.Contains(line, `"method":"POST"`) || strings.Contains(line, `"method":"DELETE"`) {
					wantAbsent(t, "the log", line, hidden...)
				} else {
					wantAbsent(t, "the log", line, without(hidden, plantedToken)...)
				}
			}
			if !strings.Contains(text, "visible-id") || !strings.Contains(text, "Visible Name") || !strings.Contains(text, mask) {
				t.Errorf("the log shows too little:\n%s", text)
			}
		})
	}
}

func without(all []string, one string) []string {
	kept := make([]string, 0, len(all))
	for _, s := range all {
		if s != one {
			kept = append(kept, s)
		}
	}
	return kept
}

// told is all that an error and its causes say, to whoever prints them in whatever way.
func told(err error) string {
	var text strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&text, "%v %+v %#v %s %q\n", err, err, err, err, err)
		encoded, _ := json.Marshal(err)
		text.Write(encoded)
	}
	return text.String()
}

// TestLogOfLosses: nothing secret either where no answer came.
func TestLogOfLosses(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	server := serveRaw(t, func(n int64) reaction {
		if n%2 == 0 {
			return half("200 OK", `{"success":1,"token":"`+plantedNewToken+`"              }`)
		}
		return cut
	})
	client := newClient(t, server.url, retries(1))
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	var errs strings.Builder
	for _, ctx := range []context.Context{ctx, stopped} {
		for _, call := range fourCalls {
			_, err := call.make(ctx, client)
			errs.WriteString(told(failureOf(t, err)))
		}
	}
	for where, text := range map[string]string{"the log": log.String(), "an error": errs.String()} {
		wantAbsent(t, where, text, plantedKey, plantedToken, plantedNewToken)
	}
	if !strings.Contains(log.String(), "the connection was cut before a complete answer had come") {
		t.Errorf("the log does not say what happened:\n%s", log.String())
	}
}

// TestBodiesInTheLog: they are readable, and nobody pays for it who does not look.
func TestBodiesInTheLog(t *testing.T) {
	t.Parallel()
	server := serve(t, always(http.StatusOK, contentJSON, `{"success":1,"user_group":`+fullGroupRaw+`}`))
	var log syncBuffer
	_, err := newClient(t, server.URL).Rotate(tflogtest.RootLogger(t.Context(), &log), NewSecret(plantedToken))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(log.String()))
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries (%v):\n%s", len(entries), err, log.String())
	}
	for _, entry := range entries {
		delete(entry, "@module")
		delete(entry, "took_ms")
	}
	want := []map[string]any{
		{"@level": "debug", "@message": "Called the user group service", "method": "POST", "attempt": float64(1), "status": float64(200)},
		{
			"@level": "trace", "@message": "Bodies of the call, secrets masked", "method": "POST",
			"request": `{"current_token":"(secret)"}`,
			"response": `{"success":1,"user_group":{"team_id":1001,"token":"(secret)","name":"Acme","provided_id":"acme",` +
				`"properties":"(secret)","api_environment_tag":"Customer"}}`,
		},
	}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	for body, want := range map[string]string{
		"": "(none)", "[1]": "(3 bytes that cannot be read as a JSON object)",
		`{"b":[1,{"x":null}],"a":"<\/é\n>"}`: `{"a":"</é\n>","b":[1,{"x":null}]}`, "{}": "{}",
	} {
		if got := fmt.Sprint(testCall(t, http.MethodPost).readable([]byte(body))); got != want {
			t.Errorf("%s is shown as %s, want %s", body, got, want)
		}
	}
}
