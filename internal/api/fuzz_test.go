package api

import (
	"fmt"
	"net/http"
	"testing"
)

// FuzzAnswer: any response must be either a success or a failure. Nothing may panic, and neither the failure nor the
// log may contain a secret that the client knows.
func FuzzAnswer(f *testing.F) {
	const key, token = plantedKey, plantedToken
	for _, body := range []string{
		successJSON, createdJSON, `{"success":0,"message":"` + token + `"}`, `{"` + token + `":1,"` + token + `":1}`,
		`{"message":` + escapedJSON(key) + `,"x":` + escapedJSON(token) + `}`, `{"success":"` + key + `"}`,
		`{"success":1,"user_group":"{\"token\":\"` + token + `\"}"}`,
		`{"success":1,"user_group":{"team_id":"` + token + `"}}`,
		`{"success":1,"user_group":{"token":"` + token + `\n"}}`, `{"success":1,"user_group":{"properties":"` + token + `"}}`,
		`{"success":1,"user_group":{"team_id":1e400}}`, "{\"a\":\"\xff\"}", htmlPage, "", "null", "[", `{"success":1`,
	} {
		for method := range fourCalls {
			f.Add([]byte(body), uint16(http.StatusOK), uint8(method))
		}
		f.Add([]byte(body), uint16(http.StatusBadRequest), uint8(2))
		f.Add([]byte(body), uint16(http.StatusInternalServerError), uint8(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, status uint16, method uint8) {
		call := fourCalls[int(method)%len(fourCalls)]
		client := newClient(t, "https://service.example.com", func(c *Config) {
			c.Headers = map[string]Secret{"X-Secret": NewSecret(token)}
		})
		answer, failure := client.interpret(t, call, reply(int(status)%1000, string(body), "Content-Type", "text/html"))
		wantAbsent(t, "the log", fmt.Sprint(toLog(t, string(body))), key, token)
		if failure == nil {
			if tokenDue := call.method == http.MethodGet || call.method == http.MethodPost; status%1000/100 != 2 ||
				tokenDue && answer.UserGroup.Token.IsZero() {
				t.Errorf("a success with status %d: %+v", status, answer)
			}
			return
		}
		said := failure.Error()
		wantAbsent(t, "the failure", said, key, token)
		if len([]rune(failure.Message)) > maxMessage+2 || oneLine(said) != said || failure.Kind > NotSent {
			t.Errorf("kind %d: %q", failure.Kind, said)
		}
	})
}
