package api

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestInterpretation: what a status, a content type and a body mean, for a call that may be repeated but is not.
func TestInterpretation(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status      int
		contentType string
		body        string
		kind        Kind
		message     string
		reason      string // a part of it; "" wants no reason
	}{
		"success 0":             {200, contentJSON, `{"success":0}`, Refused, "", "did not succeed"},
		"success 0, message":    {200, contentJSON, `{"success":0,"message":"no such group"}`, Refused, "no such group", "did not succeed"},
		"success false":         {200, contentJSON, `{"success":false,"error":"no"}`, Refused, "no", "did not succeed"},
		"success \"0\"":         {200, contentJSON, `{"success":"0"}`, Refused, "", "did not succeed"},
		"success 0, created":    {201, contentJSON, `{"success":0}`, Refused, "", "did not succeed"},
		"success 0, with group": {200, contentJSON, `{"success":0,"new_user_group":true,"user_group":` + groupJSON + `}`, Refused, "", "did not succeed"},
		"success missing":       {200, contentJSON, `{"new_user_group":true,"user_group":` + groupJSON + `}`, UnknownOutcome, "", "the field success is missing"},
		"success null":          {200, contentJSON, `{"success":null,"user_group":` + groupJSON + `}`, UnknownOutcome, "", "the field success is missing"},
		"success 2":             {200, contentJSON, `{"success":2,"user_group":` + groupJSON + `}`, UnknownOutcome, "", "the field success is neither"},
		"success -1":            {200, contentJSON, `{"success":-1,"user_group":` + groupJSON + `}`, UnknownOutcome, "", "the field success is neither"},
		"success 0.5":           {200, contentJSON, `{"success":0.5}`, UnknownOutcome, "", "the field success is neither"},
		"success \"ok\"":        {200, contentJSON, `{"success":"ok"}`, UnknownOutcome, "", "the field success is neither"},
		"success []":            {200, contentJSON, `{"success":[1]}`, UnknownOutcome, "", "the field success is neither"},
		"success {}":            {200, contentJSON, `{"success":{"value":1}}`, UnknownOutcome, "", "the field success is neither"},
		"success 1, no group":   {200, contentJSON, `{"success":1,"new_user_group":true}`, UnknownOutcome, "", "the field user_group is missing"},
		"Success 1":             {200, contentJSON, `{"Success":1}`, UnknownOutcome, "", "the field success is missing"},

		"HTML 200":         {200, "text/html; charset=utf-8", htmlPage, UnknownOutcome, "", "HTML page"},
		"HTML as JSON":     {200, contentJSON, htmlPage, UnknownOutcome, "", "not a JSON object"},
		"half JSON":        {200, contentJSON, createdJSON[:len(createdJSON)/2], UnknownOutcome, "", "not complete JSON"},
		"no last brace":    {200, contentJSON, createdJSON[:len(createdJSON)-1], UnknownOutcome, "", "not complete JSON"},
		"trailing garbage": {200, contentJSON, successJSON + `x`, UnknownOutcome, "", "something follows"},
		"two documents":    {200, contentJSON, successJSON + successJSON, UnknownOutcome, "", "something follows"},
		"empty":            {200, contentJSON, ``, UnknownOutcome, "", "not a JSON object"},
		"no content":       {204, "", ``, UnknownOutcome, "", "not a JSON object"},
		"an array":         {200, contentJSON, `[` + successJSON + `]`, UnknownOutcome, "", "not a JSON object"},
		"null":             {200, contentJSON, `null`, UnknownOutcome, "", "not a JSON object"},
		"twice success":    {200, contentJSON, `{"success":1,"success":0}`, UnknownOutcome, "", "the field success twice"},
		"twice token":      {200, contentJSON, `{"success":1,"new_user_group":true,"user_group":{"token":"LEAK","token":"LEAK"}}`, UnknownOutcome, "", "the field token twice"},
		"twice something":  {200, contentJSON, `{"success":1,"LEAK":1,"LEAK":1}`, UnknownOutcome, "", "twice"},
		"odd comma":        {200, contentJSON, `{"success":1,}`, UnknownOutcome, "", "not complete JSON"},
		"NaN":              {200, contentJSON, `{"success":NaN}`, UnknownOutcome, "", "not complete JSON"},

		"300":              {300, contentJSON, `{}`, Redirected, "", "redirects"},
		"304":              {304, "", ``, Redirected, "", "redirects"},
		"400":              {400, contentJSON, `{"success":0,"message":"name is required"}`, Refused, "name is required", ""},
		"400, success 1":   {400, contentJSON, successJSON, Refused, "", ""},
		"400, HTML":        {400, "text/html", htmlPage, Refused, "", "HTML page"},
		"400, text":        {400, "text/plain", "bad LEAK", Refused, "", "not a JSON object"},
		"400, empty":       {400, "", "", Refused, "", ""},
		"401":              {401, contentJSON, `{"success":0,"error":"bad key"}`, Unauthorised, "bad key", ""},
		"403":              {403, contentJSON, `{"success":1}`, Unauthorised, "", ""},
		"403, HTML":        {403, "text/html", htmlPage, Unauthorised, "", "HTML page"},
		"404":              {404, contentJSON, `{"detail":"gone"}`, Refused, "gone", ""},
		"408":              {408, contentJSON, `{"message":"slow"}`, UnknownOutcome, "slow", ""},
		"409":              {409, contentJSON, `{"reason":"conflict"}`, Refused, "conflict", ""},
		"422":              {422, contentJSON, `{"msg":"x","error_message":"y"}`, Refused, "y", ""},
		"429":              {429, contentJSON, `{"message":"slow down"}`, Throttled, "slow down", ""},
		"429, success 1":   {429, contentJSON, successJSON, Throttled, "", ""},
		"500":              {500, contentJSON, `{"success":0,"message":"oops"}`, UnknownOutcome, "oops", ""},
		"500, success 1":   {500, contentJSON, createdJSON, UnknownOutcome, "", ""},
		"501":              {501, "", "", UnknownOutcome, "", ""},
		"502, HTML":        {502, "text/html", htmlPage, UnknownOutcome, "", "HTML page"},
		"503":              {503, "", "", UnknownOutcome, "", ""},
		"599":              {599, contentJSON, `{"success":0}`, UnknownOutcome, "", ""},
		"999":              {999, contentJSON, successJSON, UnknownOutcome, "", ""},
		"blank message":    {400, contentJSON, `{"message":" ","error":"real"}`, Refused, "real", ""},
		"message no text":  {400, contentJSON, `{"message":{"LEAK":1},"error":"real"}`, Refused, "real", ""},
		"message a number": {400, contentJSON, `{"message":5}`, Refused, "5", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(test.status, test.contentType, test.body))
			answer, err := newClient(t, server.URL).GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
			failure := failureOf(t, err)
			wantKind(t, failure, test.kind)
			wantRequests(t, server.count(), 1)
			want := Error{
				Kind: test.kind, Method: http.MethodGet, Status: test.status, Message: test.message, Attempts: 1,
				Lost: test.kind == UnknownOutcome, Created: failure.Created, Reason: failure.Reason,
			}
			if failure.Error() != want.Error() || failure.Status != want.Status || failure.Message != want.Message ||
				failure.Attempts != 1 || failure.Lost != want.Lost || failure.MayHaveHappened() != want.Lost {
				t.Errorf("got  %#v\nwant %#v", failure, &want)
			}
			if !strings.Contains(failure.Reason, test.reason) || test.reason == "" && failure.Reason != "" {
				t.Errorf("Reason = %q, want it to contain %q", failure.Reason, test.reason)
			}
			if answer.Created || answer.Lost || !answer.UserGroup.Token.IsZero() {
				t.Errorf("an answer came with the error: %+v", answer)
			}
			wantAbsent(t, "the error", failure.Error(), "LEAK", plantedNewToken, "html>")
		})
	}
}

// TestSuccessInOtherSpellings: 1 is 1, also as true and as a text.
func TestSuccessInOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, success := range []string{"1", "true", `"1"`, "1.0", "1e0", `"1.0"`} {
		for _, contentType := range []string{contentJSON, "text/html", "", "application/json; charset=utf-8"} {
			server := serve(t, always(http.StatusOK, contentType, `{"success":`+success+`,"user_group":`+groupJSON+`}`))
			if _, err := newClient(t, server.URL).Rotate(t.Context(), NewSecret(plantedToken)); err != nil {
				t.Errorf("success %s, %q: %v", success, contentType, err)
			}
		}
	}
}

// TestRedirectsAreNotFollowed: neither the call nor the key goes elsewhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			for _, status := range []int{301, 302, 303, 307, 308} {
				elsewhere := serve(t, always(http.StatusOK, contentJSON, successJSON))
				server := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, elsewhere.URL+"/api/user", status)
				})
				_, err := call.make(t.Context(), newClient(t, server.URL, retries(2)))
				failure := failureOf(t, err)
				wantKind(t, failure, Redirected)
				wantRequests(t, server.count(), 1)
				if failure.Lost || failure.MayHaveHappened() || failure.Status != status {
					t.Errorf("status %d: Lost = %v, Status = %d", status, failure.Lost, failure.Status)
				}
				if elsewhere.connections.Load() != 0 {
					t.Errorf("status %d was followed: %+v", status, elsewhere.seen())
				}
			}
		})
	}
}

// TestAnswerTooLarge: what exceeds the limit is not read to its end, and is an unknown outcome.
func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	padded := func(size int) string {
		return successJSON[:len(successJSON)-1] + `,"x":"` + strings.Repeat("x", size-len(successJSON)-len(`,"x":""`)) + `"}`
	}
	for size, accepted := range map[int]bool{maxAnswer: true, maxAnswer + 1: false, 3 * maxAnswer: false} {
		body := padded(size)
		if len(body) != size {
			t.Fatalf("the test is wrong: %d bytes, not %d", len(body), size)
		}
		server := serve(t, always(http.StatusOK, contentJSON, body))
		_, err := newClient(t, server.URL).Rotate(t.Context(), NewSecret(plantedToken))
		if accepted {
			if err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
			continue
		}
		failure := failureOf(t, err)
		wantKind(t, failure, UnknownOutcome)
		if !strings.Contains(failure.Reason, "larger than 4 MiB") {
			t.Errorf("Reason = %q", failure.Reason)
		}
	}
}

// TestEndlessAnswer: a service that never stops talking is left after the limit, not after the memory.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	server := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"x":"`)
		for {
			if _, err := w.Write([]byte(strings.Repeat("x", 1<<16))); err != nil {
				return
			}
		}
	})
	start := time.Now()
	_, err := newClient(t, server.URL).Rotate(t.Context(), NewSecret(plantedToken))
	wantKind(t, failureOf(t, err), UnknownOutcome)
	if took := time.Since(start); took > longEnough {
		t.Errorf("it took %s", took)
	}
}
