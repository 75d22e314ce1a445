package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// escaped encodes a string as a hostile or merely unusual encoder would, with an escape for each character.
func escaped(text string) string {
	for _, r := range text {
		text += fmt.Sprintf(`\u%04x`, r)
	}
	return text[len(text)/7:]
}

// printed returns all that an error and its causes print in the usual formats.
func printed(err error) (text string) {
	for ; err != nil; err = errors.Unwrap(err) {
		encoded, _ := json.Marshal(err)
		text += fmt.Sprintf("%v %+v %#v %s %q %s\n", err, err, err, err, err, encoded)
	}
	return text
}

// TestSecretsAreHidden makes all calls, with the log at TRACE. It looks for the key, the tokens, the header and the
// properties in the log and in the errors, and for what the log has to show.
func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	const key, old, token, property = plantedKey, plantedToken, plantedNewToken, plantedProperty
	const echo = "Token " + key + ", " + old + ", " + token + ", " + plantedHeader
	const group = `{"team_id":1001,"token":"` + token + `","name":"Visible Name","properties":{"p":"` + property + `"}}`
	for _, body := range []string{
		`{"success":1,"new_user_group":true,"user_group":` + group + `}`,
		`{"success":1,"user_group":` + group[:len(group)-5],
		`{"success":0,"message":"` + echo + `","user_group":` + group + `}`,
		`{"x":{"y":"` + property + `"},"properties":"` + property + `"}`,
		`{"message":"` + escaped(echo) + `","token":"` + escaped(token) + `"}`,
		`{"` + escaped(old) + `":1,"` + escaped(key) + `":1}`,
		`{"message":"is \/slash+ed=","name":"\/slash+ed=","token":"\/slash+ed="}`, `<title>` + key + old + `</title>`,
		`|` + key + old, `{"success":1,"user_group":"` + strings.ReplaceAll(group, `"`, `\"`) + `"}`,
		`{"success":1,"data":{"user_group":` + group + `}}`,
		`{"success":1,"name":"` + token + `","tokens":["` + token + `",{"value":"` + token + `"}]}`,
		`{"token":{"a":[{"b":"` + token + `"}]},"message":"` + token + `"}`,
		`{"success":"` + key + `","team_id":{"x":"` + token + `"},"name":"` + echo + `","token":"` + token + `"}`,
	} {
		for _, status := range []int{200, 400} {
			media := map[bool]string{true: "text/plain", false: "text/html"}[body[0] == '|']
			react := reply(status, body, "Content-Type", media, "Server", key)
			var log bytes.Buffer
			wanted := GroupRequest{
				UserGroupID: "visible-id", Name: new("Visible Name"), Properties: properties(`{"p":"` + property + `"}`),
				Mapping: map[string]string{"schema": property},
			}
			secrets := []string{key, token, plantedHeader, property, "/slash+ed="}
			for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
				if method == "POST" { // Lookups and updates cannot mask the old token: they do not know it.
					secrets = append(secrets, old)
				}
				before := log.Len()
				call := anyCall{method, wanted, TokenRequest{CurrentToken: NewSecret(old), UserGroupID: "visible-id"}}
				if _, failure, _ := call.send(tflogtest.RootLogger(t.Context(), &log), newClient(inTurn(react)).Begin().Once()); failure != nil {
					wantAbsent(t, "the error", printed(failure), secrets...)
				}
				wantAbsent(t, "the log", log.String()[before:], secrets...)
			}
			for _, visible := range []string{
				`"method":"POST"`, `"user_group_id":"visible-id"`, `"attempt":1`, `"took_ms":`, `\"name\":\"Visible Name\"`,
				`"request":"{\"current_token\":\"(secret)\"}"`, `"@level":"debug"`, `"@level":"trace"`,
			} {
				failIf(t, !strings.Contains(log.String(), visible), "the log does not show %s:\n%s", visible, log.String())
			}
		}
	}
	for body, want := range map[string]string{
		"": "(0 bytes that are not a JSON object)", "[1]": "(3 bytes that are not a JSON object)", "{}": "{}",
		`{"user_group":{"team_id":7,"token":1,"user_group":{"name":"x"}},"success":1,"new_user_group":true}`: `{` +
			`"new_user_group":true,"success":1,"user_group":{"team_id":7,"token":"(secret)","user_group":"(secret)"}}`,
		`{"api_environment_tag":null,"provided_id":5,"user_group":"x","x":1}`: `{` +
			`"api_environment_tag":null,"provided_id":5,"user_group":"(secret)","x":"(secret)"}`,
	} {
		same(t, "the log of "+body, masked{newClient(nil), Secret{}, []byte(body)}, want)
	}
}

// TestSecretNeverPrints: no verb may print a secret, however it is wrapped. Unexported fields are the pitfall, because
// fmt cannot call the methods of their values and prints the contents. A mask shows that there is a secret.
func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	secret, object := NewSecret(plantedKey), properties(`{"`+plantedKey+`":"`+plantedKey+`"}`)
	type unexported struct {
		key  Secret
		list map[Secret][]Secret
	}
	hidden := unexported{secret, map[Secret][]Secret{secret: {secret}}}
	for _, holder := range []any{
		secret, &secret,
		struct{ Key Secret }{secret},
		hidden, &hidden,
		[]Secret{secret},
		map[Secret]Secret{secret: secret},
		Config{APIKey: secret, Headers: map[string]Secret{"X": secret}},
		newClient(nil),
		call{secret: secret},
		object,
		TokenRequest{CurrentToken: secret},
		&object,
		Answer{UserGroup: UserGroup{Token: secret, Properties: object}},
		masked{newClient(nil), secret, []byte(`{"x":"` + plantedKey + `"}`)},
	} {
		var text bytes.Buffer
		for verb := range strings.SplitSeq("v +v #v s q x X d o b c t T e g U 08d -20s +q #q # x 5.2f", " ") {
			fmt.Fprintf(&text, "%"+verb+"\n", holder)
		}
		if _, isAnswer := holder.(Answer); !isAnswer { // JSON is for the service, and it gets the properties.
			slog.New(slog.NewTextHandler(&text, nil)).InfoContext(t.Context(), "m", "holder", holder)
			slog.New(slog.NewJSONHandler(&text, nil)).InfoContext(t.Context(), "m", slog.Group("g", "holder", holder))
		}
		wantAbsent(t, fmt.Sprintf("%T", holder), text.String(), plantedKey, // and other ways in which fmt might print it
			fmt.Sprintf("%x", plantedKey), fmt.Sprintf("%X", plantedKey), fmt.Sprintf("% x", plantedKey),
			fmt.Sprintf("%U", []rune(plantedKey))[1:20], strings.Trim(fmt.Sprintf("%d", []byte(plantedKey)), "[]"))
	}
	encoded, _ := json.Marshal(map[Secret]Secret{secret: secret})
	all := fmt.Sprintf("%v%#v%s%x", secret, secret, secret, secret) + secret.String() + secret.LogValue().String()
	same(t, "a secret", all+string(encoded), strings.Repeat(mask, 6)+`{"(secret)":"(secret)"}`)
	same(t, "a fingerprint", NewSecret("abc").Fingerprint(), "ba7816bf8f01")
	same(t, "equality", []bool{secret == NewSecret(plantedKey), NewSecret("").IsZero(), secret.IsZero()},
		"[true true false]")
}

// FuzzAnswer: any response must be either a success or a failure. Nothing may panic, and neither the failure nor the
// log may contain a secret that the client knows.
func FuzzAnswer(f *testing.F) {
	const key, token = plantedKey, plantedToken
	for _, body := range []string{ // There are more in testdata.
		successJSON, createdJSON, htmlPage, "", `{"` + token + `":1,"message":"` + escaped(key+token) + `"}`,
		`{"user_group":{"token":"` + token + `\n","name":"` + token + `"},"detail":[{"loc":[],"msg":["` + token + `"]}]}`,
	} {
		for method := range fourCalls {
			f.Add([]byte(body), uint16(200), uint8(method))
			f.Add([]byte(body), uint16(400), uint8(method))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, status uint16, method uint8) {
		call, media := fourCalls[method%4], []string{"text/html", "text/plain"}[method/4%2]
		client := newClient(inTurn(reply(int(status)%1000, string(body), "Content-Type", media)), once)
		client.secrets = append(client.secrets, NewSecret(token))
		answer, failure, kind := call.make(client)
		wantAbsent(t, "the log", fmt.Sprint(masked{client, Secret{}, body}), key, token)
		if needsToken := call.method == "GET" || call.method == "POST"; failure == nil {
			failIf(t, status%1000/100 != 2 || needsToken && answer.UserGroup.Token.IsZero(),
				"a success with status %d: %+v", status, answer)
			return
		}
		said := failure.Error()
		wantAbsent(t, "the failure", said, key, token)
		failIf(t, len([]rune(failure.Message)) > maxMessage+2 || strings.ContainsAny(said, "\n\r\x1b") || kind > NotSent,
			"kind %d: %q", kind, said)
	})
}
