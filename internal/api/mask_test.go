package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

const (
	plantedHeader   = "header-4e5f60a1"
	plantedProperty = "property-9d8c7b6a"
)

// escapedJSON encodes a string as a hostile or merely unusual encoder would, with an escape for each character.
func escapedJSON(text string) string {
	var escaped strings.Builder
	for _, r := range text {
		fmt.Fprintf(&escaped, `\u%04x`, r)
	}
	return `"` + escaped.String() + `"`
}

// printed returns all that an error and its causes print in the usual formats.
func printed(err error) string {
	var text strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&text, "%v %+v %#v %s %q\n", err, err, err, err, err)
		encoded, _ := json.Marshal(err)
		text.Write(encoded)
	}
	return text.String()
}

// toLog returns a body of a call that knows a token.
func toLog(t testing.TB, body string) loggedBody {
	t.Helper()
	client := newClient(t, "https://service.example.com")
	return loggedBody{&call{client: client, secret: NewSecret(plantedToken)}, []byte(body)}
}

// TestErrorsAndLogsHideSecrets makes all calls, with all kinds of responses and the log at TRACE. It looks for the
// key, the tokens, the header and the properties in the log and in the errors.
func TestErrorsAndLogsHideSecrets(t *testing.T) {
	t.Parallel()
	const key, old, token = plantedKey, plantedToken, plantedNewToken
	const echo = "Token " + key + ", " + old + ", " + token + ", " + plantedHeader
	const group = `{"team_id":1001,"token":"` + token + `","name":"Visible Name","provided_id":"visible-id",` +
		`"properties":{"p":"` + plantedProperty + `"}}`
	for name, test := range map[string]struct {
		status int
		body   string
	}{
		"success":              {200, `{"success":1,"new_user_group":true,"user_group":` + group + `}`},
		"refusal":              {400, `{"success":0,"message":"` + echo + `","user_group":` + group + `}`},
		"escaped":              {400, `{"message":` + escapedJSON(echo) + `,"token":` + escapedJSON(token) + `}`},
		"escaped name":         {400, `{` + escapedJSON(old) + `:1,` + escapedJSON(key) + `:1}`},
		"escaped slash":        {400, `{"message":"is \/slash+ed=","x":"is \/slash+ed=","token":"\/slash+ed="}`},
		"group is a text":      {200, `{"success":1,"user_group":` + strconv.Quote(group) + `,"message":"` + echo + `"}`},
		"group elsewhere":      {200, `{"success":1,"data":{"user_group":` + group + `,"x":[` + group + `]}}`},
		"tokens in a list":     {200, `{"success":1,"tokens":["` + token + `",{"value":"` + token + `"}]}`},
		"token within a token": {400, `{"token":{"a":[{"b":"` + token + `"}]},"message":"` + token + `"}`},
		"token as a name":      {200, `{"success":1,"` + key + `":1,"` + key + `":2,"` + old + `":3,"` + old + `":4}`},
		"control characters": {
			200, `{"success":1,"user_group":{"token":"` + token + `\n","name":"` + token + `\n"}}`,
		},
		"invalid UTF-8": {400, "{\"x\":\"\xff\",\"token\":\"" + token + "\",\"message\":\"" + echo + "\"}"},
		"properties elsewhere": {
			400, `{"x":{"properties":{"p":"` + plantedProperty + `"}},"properties":"` + plantedProperty + `"}`,
		},
		"half": {200, `{"success":1,"user_group":` + group[:len(group)-5]},
		"text": {500, echo},
		// Nothing marks the new token as a token here, so only the secrets that the client knows can be masked.
		"HTML": {403, "<html><title>" + strings.Replace(echo, token, "", 1) + "</title></html>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				header := "Content-Type: text/html\r\nServer: " + plantedKey + "\r\nVia: 1.1 " + plantedHeader + "\r\n"
				service := inTurn(answer(test.status, header, test.body))
				var log bytes.Buffer
				ctx := tflogtest.RootLogger(t.Context(), &log)
				client := service.client(t, retries(1), func(c *Config) {
					c.Headers = map[string]Secret{"X-Secret": NewSecret(plantedHeader)}
				})
				wanted := GroupRequest{
					UserGroupID: "visible-id", Name: ptr("Visible Name"), Properties: mustObject(t, `{"p":"`+plantedProperty+`"}`),
				}
				tokens := TokenRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "visible-id"}
				hidden := []string{plantedKey, plantedNewToken, plantedHeader, plantedProperty, "/slash+ed="}
				for _, call := range []anyCall{lookingUp(wanted), updating(wanted), rotating(tokens), deleting(tokens)} {
					if call.method == http.MethodPost { // Lookups and updates cannot mask the old token: they do not know it.
						hidden = append(hidden, plantedToken)
					}
					before := log.Len()
					_, err := call.make(ctx, client)
					wantAbsent(t, "the error", printed(err), hidden...)
					wantAbsent(t, "the log", log.String()[before:], hidden...)
				}
				for _, visible := range []string{"visible-id", "Visible Name", mask} {
					if !strings.Contains(log.String(), visible) {
						t.Errorf("the log shows too little:\n%s", log.String())
					}
				}
			})
		})
	}
}

// TestLog: the log must show readable bodies, with masks for tokens and properties, and report lost responses.
func TestLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	body := `{"success":1,"user_group":{"team_id":1,"token":"` + plantedNewToken + `","properties":{"tier":"gold"}}}`
	if _, err := post.make(ctx, inTurn(ok(body)).client(t)); err != nil {
		t.Fatal(err)
	}
	_, _ = get.make(ctx, inTurn(cut).client(t))
	for _, shown := range []string{
		`"method":"POST"`, `"user_group_id":"acme"`, `"attempt":1`, `"status":200`, `"took_ms":`,
		`"request":"{\"current_token\":\"(secret)\"}"`,
		`{\"success\":1,\"user_group\":{\"team_id\":1,\"token\":\"(secret)\",\"properties\":\"(secret)\"}}`,
		"the connection was cut before a complete response had arrived",
	} {
		if !strings.Contains(log.String(), shown) {
			t.Errorf("the log does not show %s:\n%s", shown, log.String())
		}
	}
	for body, want := range map[string]string{
		"": "(none)", "[1]": "(3 bytes that cannot be read as a JSON object)",
		`{"b":[1,{"x":null}],"a":"<\/é\n>","a":2}`: `{"b":[1,{"x":null}],"a":"</é\n>","a":2}`, "{}": "{}",
		`{"x":"{\"token\":\"a\",\"y\":[1e400]}"}`: `{"x":{"token":"(secret)","y":[1e400]}}`,
		`{"token":12345,"tokens_left":3}`:         `{"token":"(secret)","tokens_left":3}`,
		`{"token":"12345","tokens_left":12345}`:   `{"token":"(secret)","tokens_left":"(secret)"}`,
	} {
		if got := fmt.Sprint(toLog(t, body)); got != want {
			t.Errorf("%s is logged as %s, want %s", body, got, want)
		}
	}
}

// TestSaid: the text must begin with what was received, and from whom.
func TestSaid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	for _, test := range []struct {
		response *http.Response
		want     string
	}{
		{
			reply(400, `{"message":"\"x\""}`),
			`the service responded with status 400 (Bad Request) and the message "\"x\""`,
		},
		{reply(502, "", "Server", "nginx/1.25"), "status 502 (Bad Gateway) came back (Server: nginx/1.25)"},
		{reply(599, ""), "status 599 came back"},
		{
			reply(403, "<html><TITLE lang=en>\n  403 &ndash; Forbidden \u202e "+plantedKey+"</TITLE>",
				"Content-Type", "text/html", "Server", "nginx\x1b[31m", "Via", "1.1 a", "Via", "1.1 "+plantedKey),
			`status 403 (Forbidden) came back with an HTML page titled "403 – Forbidden (secret)" ` +
				"(Server: nginx [31m, Via: 1.1 a, 1.1 (secret)); the service itself responds in JSON",
		},
		{
			reply(200, "<title>"+long+"</title>", "Content-Type", "text/html", "Server", long),
			`status 200 (OK) came back with an HTML page titled "` + long[:60] + ` …" (Server: ` + long[:60] + " …); " +
				"the service itself responds in JSON",
		},
	} {
		_, failure := interpret(t, get, test.response)
		if got := failure.Said(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

type exported struct{ Key Secret }

type unexported struct {
	key  Secret
	list []Secret
	deep struct{ key Secret }
}

// TestSecretNeverPrints: no verb may print a secret, however it is wrapped. Unexported fields are the pitfall,
// because fmt cannot call the methods of their values and prints the contents.
func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	secret := NewSecret(plantedKey)
	hidden := unexported{key: secret, list: []Secret{secret}}
	hidden.deep.key = secret
	holders := map[string]any{
		"itself": secret, "pointer": &secret, "struct": exported{secret}, "pointer to struct": &exported{secret},
		"unexported": hidden, "pointer to unexported": &hidden, "slice": []Secret{secret}, "array": [1]Secret{secret},
		"map value": map[string]Secret{"k": secret}, "map key": map[Secret]int{secret: 1}, "any": []any{secret},
		"config": Config{APIKey: secret, Headers: map[string]Secret{"X": secret}, ProxyURL: secret},
		"client": newClient(t, "https://service.example.com", func(c *Config) {
			c.ProxyURL = NewSecret("http://user:" + plantedKey + "@proxy")
		}),
		"call": call{secret: secret}, "token request": TokenRequest{CurrentToken: secret},
		"answer": Answer{UserGroup: UserGroup{Token: secret}}, "error": error(&Error{cause: errors.New("x")}),
		"unexported map": struct{ m map[Secret]Secret }{map[Secret]Secret{secret: secret}},
		"body":           toLog(t, `{"token":"`+plantedKey+`"}`),
	}
	spellings := []string{ // in which fmt might print a secret
		plantedKey, fmt.Sprintf("%x", plantedKey), fmt.Sprintf("%X", plantedKey), fmt.Sprintf("% x", plantedKey),
		fmt.Sprintf("%U", []rune(plantedKey))[1:20], strings.Trim(fmt.Sprintf("%d", []byte(plantedKey)), "[]"),
	}
	for name, holder := range holders {
		for verb := range strings.SplitSeq("v +v #v s q x X d o b c t T p e g U w 08d -20s +q #q # x 5.2f", " ") {
			if _, body := holder.(loggedBody); body && (verb == "p" || verb == "w") {
				continue // No value can change how fmt reports that these verbs are wrong.
			}
			text := fmt.Sprintf("%"+verb, holder)
			for _, spelling := range spellings {
				if strings.Contains(text, spelling) {
					t.Errorf("%s with %%%s: %s", name, verb, text)
				}
			}
		}
		wantAbsent(t, name+" with Sprint", fmt.Sprint(holder)+fmt.Sprintln(holder), plantedKey)
		if encoded, err := json.Marshal(holder); err == nil {
			wantAbsent(t, name+" as JSON", string(encoded), plantedKey)
		}
		var log bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			logger := slog.New(handler)
			logger.InfoContext(t.Context(), "m", "holder", holder, slog.Group("g", "holder", holder))
			logger.With("holder", holder).Log(context.WithoutCancel(t.Context()), slog.LevelError, "m")
		}
		wantAbsent(t, name+" in slog", log.String(), plantedKey)
	}
}

// TestSecretSaysThatItIsOne: a secret must print as a mask, not as nothing, so that a reader sees that it exists.
func TestSecretSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	secret := NewSecret(plantedKey)
	printed := fmt.Sprintf("%v%#v%s%x", secret, secret, secret, secret) + secret.String() + secret.LogValue().String()
	if want := strings.Repeat(mask, 6); printed != want {
		t.Errorf("printed as %s, want %s", printed, want)
	}
	encoded, err := json.Marshal(map[Secret]exported{secret: {secret}})
	if err != nil || string(encoded) != `{"(secret)":{"Key":"(secret)"}}` {
		t.Errorf("JSON: %s, %v", encoded, err)
	}
}

// FuzzAnswer: any response must be either a success or a failure. Nothing may panic, and neither the failure nor the
// log may contain a secret that the client knows.
func FuzzAnswer(f *testing.F) {
	const key, token = plantedKey, plantedToken
	for _, body := range []string{
		successJSON, createdJSON, `{"success":0,"message":"` + token + `"}`, `{"` + token + `":1,"` + token + `":1}`,
		`{"message":` + escapedJSON(key) + `,"x":` + escapedJSON(token) + `}`,
		`{"success":1,"user_group":"{\"token\":\"` + token + `\"}"}`,
		`{"success":1,"user_group":{"token":"` + token + `\n"}}`, "{\"a\":\"\xff\"}", htmlPage, "", `{"success":1`,
	} {
		for method := range fourCalls {
			f.Add([]byte(body), uint16(http.StatusOK), uint8(method))
			f.Add([]byte(body), uint16(http.StatusBadRequest), uint8(method))
		}
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
