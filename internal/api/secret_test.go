package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
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
	const echo = "Token " + key + ", " + old + ", " + token + ", " + plantedHeader + ", " + property + "-m, " + property
	const group = `{"team_id":1001,"token":"` + token + `","name":"Visible Name","properties":{"p":"` + property + `"}}`
	for _, body := range []string{
		`{"success":1,"new_user_group":true,"user_group":` + group + `}`,
		`{"success":1,"user_group":` + group[:len(group)-5],
		`{"success":0,"message":"` + echo + `","user_group":` + group + `}`,
		`{"x":{"y":"` + property + `"},"properties":"` + property + `"}`,
		`{"message":"` + escaped(echo) + `","token":"` + escaped(token) + `"}`,
		`{"` + escaped(old) + `":1,"` + escaped(key) + `":1}`,
		`{"message":"is \/slash+ed=","user_group":{"name":"\/slash+ed=","token":"\/slash+ed="}}`,
		`<title>` + key + old + `</title>`,
		`|` + key + old, `{"success":1,"user_group":"` + strings.ReplaceAll(group, `"`, `\"`) + `"}`,
		`{"success":1,"data":{"user_group":` + group + `}}`,
		`{"success":1,"name":"` + token + `","tokens":["` + token + `"]}`,
		`{"success":"` + key + `","team_id":{"x":"` + token + `"},"name":"` + echo + `","token":"` + token + `"}`,
	} {
		for _, status := range []int{200, 400} {
			media := map[bool]string{true: "text/plain", false: "text/html"}[body[0] == '|']
			react := reply(status, body, "Content-Type", media, "Server", key)
			var log bytes.Buffer
			wanted := GroupRequest{
				UserGroupID: "visible-id", Name: new("Visible Name"), Properties: properties(`{"p":"` + property + `"}`),
				Mapping: map[string]string{"schema": property + "-m"},
			}
			known := func() Confidential { return wanted.Confidential().And(Confidential{Secrets: []Secret{NewSecret(old)}}) }
			secrets := []string{key, old, token, plantedHeader, property, "/slash+ed="}
			for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
				before := log.Len()
				call := anyCall{method, wanted, TokenRequest{CurrentToken: NewSecret(old), UserGroupID: "visible-id"}}
				ctx, calls := tflogtest.RootLogger(t.Context(), &log), newClient(inTurn(react)).Begin(known).Once()
				_, failure, _ := call.send(ctx, calls)
				if failure != nil {
					wantAbsent(t, "the error", printed(failure), secrets...)
				}
				hasFailure := strings.Contains(log.String()[before:], `"failure":"`)
				failIf(t, hasFailure != (failure != nil), "the log has a failure: %t; %v", hasFailure, failure)
				wantAbsent(t, "the log", log.String()[before:], secrets...)
			}
			for _, visible := range []string{
				`"method":"POST"`, `"user_group_id":"visible-id"`, `"attempt":1`, `"took_ms":`, `\"name\":\"Visible Name\"`,
				`"request":"{\"current_token\":\"(secret)\"}"`, `"@level":"debug"`, `"@level":"trace"`,
			} {
				failIf(t, !strings.Contains(log.String(), visible), "the log does not show %s:\n%s", visible, log.String())
			}
			if shown := fmt.Sprintf(`"status":%d`, status); !strings.Contains(log.String(), shown) {
				t.Errorf("the log does not show %s", shown)
			}
		}
	}
	for body, want := range map[string]string{
		"": "(0 bytes that are not a JSON object)", "[1]": "(3 bytes that are not a JSON object)", "{}": "{}",
		`{"user_group":{"team_id":7,"token":1,"user_group":{"name":"x"}},"success":1,"new_user_group":true}`: `{` +
			`"new_user_group":true,"success":1,"user_group":{"team_id":7,"token":"(secret)","user_group":"(secret)"}}`,
		`{"api_environment_tag":null,"provided_id":5,"user_group":"x","x":1}`: `{` +
			`"api_environment_tag":null,"provided_id":5,"user_group":"(secret)","x":"(secret)"}`,
		`{"team_id":48151623,"token":48151623,"success":true}`: `{"success":true,"team_id":"(secret)","token":"(secret)"}`,
		`{"team_id":48151624,"token":48151623}`:                `{"team_id":48151624,"token":"(secret)"}`,
	} {
		same(t, "the log of "+body, masked{newClient(nil), nothingKnown, []byte(body)}, want)
	}
}

// TestMasks: the service's words must be masked for all that the operation knows, has sent and has received in
// confidence, and for nothing else. A short text, the ID and the name are no secrets.
func TestMasks(t *testing.T) {
	t.Parallel()
	sent := GroupRequest{
		UserGroupID: "acme-id", Name: new("Acme Ltd"),
		Mapping: map[string]string{"schema": "warehouse-7", "s2": "acme-id", "s3": "abc"},
		Properties: properties(`{"deep":[{"er":["inner-value",{"x":"\u00e9\u00e8\u00e0\u00fc"}]}],"n":123456,` +
			`"key-name":"gold","q":"a\"b\n<c>","name":"Acme Ltd","s":"x","long":"gold-plated"}`),
	}
	for said, want := range map[string]string{
		"known-token, test-key":                   "(secret), test-key",
		"schema acme-id of Acme Ltd: warehouse-7": "schema acme-id of Acme Ltd: (secret)",
		"inner-value, éèàü, 123456":               "(secret), (secret), 123456", "key-name abc x": "key-name abc x",
		"marigold gold-plated gold": "mari(secret) (secret) (secret)", "gold-plate": "(secret)-plate",
		"token 4815162342, 1234": "token (secret), 1234", "header xyz of tenant-blue": "header xyz of (secret)",
		"s3cret-word, cookie-value of theme": "(secret), (secret) of theme", "a=1": "a=1", "old-value": "(secret)",
		"goldknown-tokengold": "(secret)(secret)(secret)", "a b c": "(secret)",
	} {
		for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
			call := anyCall{method, sent, TokenRequest{UserGroupID: "acme-id"}}
			known := func() Confidential {
				known := Confidential{Secrets: []Secret{NewSecret("known-token"), NewSecret("old-value")}}
				if method == "POST" || method == "DELETE" { // They send no values themselves.
					known = known.And(sent.Confidential())
				}
				return known
			}
			user := map[string]any{"token": int64(4815162342), "token2": 123}
			body, _ := json.Marshal(map[string]any{"message": said, "user": user})
			client := newClient(inTurn(reply(400, string(body))), func(c *Config) {
				c.Headers["X-Short"], c.Headers["X-Tenant"] = NewSecret("xyz"), NewSecret("tenant-blue")
				c.Headers["X-Auth"], c.Headers["Cookie"] = NewSecret("Basic s3cret-word"), NewSecret("a=1; theme=cookie-value")
				c.Headers["X-Words"] = NewSecret("a b c")
			})
			_, failure, _ := call.send(t.Context(), client.Begin(known).Once())
			same(t, call.method+" "+said, failure.Message, want)
		}
	}
	// Of a long text, the beginning is shown.
	sentences := strings.Repeat("Fix the name. ", 10_000)
	_, failure, _ := get.make(newClient(inTurn(reply(400, `{"message":"`+sentences+`"}`)), once))
	same(t, "a long text", failure.Message, sentences[:maxQuote]+" …")
}

// TestBoundedWords: reading a body must take room in proportion to its size, whatever it is made of.
func TestBoundedWords(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	const n = 5_000
	list := func(format string) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf(format, i, i))
		}
		return strings.Join(items, ",")
	}
	deep := func(before, inner, after string) string {
		return strings.Repeat(before, 4_000) + inner + strings.Repeat(after, 4_000)
	}
	for name, body := range map[string]string{
		"a list":   `{"message":[` + list(`"word-%d-%d"`) + `]}`,
		"one word": `{"message":["` + strings.Repeat(`same","`, n) + `end"]}`,
		"faults":   `{` + list(`"field%d":["fault %d"]`) + `}`,
		"messages": `[` + list(`{"message":"%d","detail":"no %d","errors":{"x":["y"]}}`) + `]`,
		"FastAPI":  `{"detail":[` + list(`{"loc":["body",%d],"msg":"bad %d"}`) + `]}`,
		"tokens": `{"message":"` + strings.Repeat("token-123456789 ", n/8) + `",` +
			list(`"token%d":"token-%d"`) + `}`,
		"numeric tokens":   `{"message":"1234","token":[` + list(`%d,1%d`) + `]}`,
		"a long word":      `{"message":"` + strings.Repeat("word ", n*10) + `"}`,
		"a long fault":     deep(`{"errors":{"`+strings.Repeat("x", 100)+`":`, `"`+strings.Repeat("word ", n)+`"`, `}}`),
		"nothing to say":   deep(`{"errors":`, `{}`, `}`),
		"deep lists":       deep(`[`, `"`+strings.Repeat("word ", n)+`"`, `]`),
		"nested tokens":    `{"message":"x","tokens":[` + deep(`{"a":"aaaaaaaaaaaa","b":`, `"aaaaaaaaaab"`, `}`) + `]}`,
		"similar tokens":   `{"message":"` + strings.Repeat("a", n) + `","token":["` + strings.Repeat("a", n) + `b"` + `]}`,
		"text/plain|":      `|` + strings.Repeat("plain ", n*5),
		"text/html|":       `|<title>` + strings.Repeat("page ", n*5) + `</title>`,
		"text/html|titles": `|` + strings.Repeat("<title", n),
	} {
		media, _, isPage := strings.Cut(name, "|")
		if _, text, _ := strings.Cut(body, "|"); isPage {
			body = text
		} else {
			media = "application/json"
		}
		client := newClient(inTurn(reply(400, body, "Content-Type", media)), once)
		var failure *Error
		got := allocated(func() { _, failure, _ = get.make(client) })
		most := uint64(100*len(body) + 4<<20)
		failIf(t, got > most, "%s: %d bytes were allocated for a body of %d", name, got, len(body))
		failIf(t, len([]rune(failure.Message)) > maxQuote+2, "%s: the message is %q", name, failure.Message)
		inLog := allocated(func() { _ = masked{client, nothingKnown, []byte(body)}.String() })
		failIf(t, inLog > most, "%s: %d bytes were allocated for the log of a body of %d", name, inLog, len(body))
	}
}

// TestEveryFieldIsKnownToTheLog: a new field must be shown or masked on purpose.
func TestEveryFieldIsKnownToTheLog(t *testing.T) {
	t.Parallel()
	names := []string{"success", "new_user_group", "user_group"}
	for _, member := range inResponse {
		names = append(names, member[0])
	}
	service := inTurn(ok(successJSON))
	client := newClient(service)
	group, token := filled[GroupRequest](t), filled[TokenRequest](t)
	for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
		_, _, _ = anyCall{method, group, token}.make(client)
	}
	for _, body := range service.bodies {
		names = slices.AppendSeq(names, maps.Keys(fieldsOf([]byte(body))))
	}
	failIf(t, len(service.bodies) != 4 || !slices.Contains(names, "mapping"), "not all fields were sent: %q", names)
	for _, name := range names {
		_, known := logged[name]
		failIf(t, !known, "decide in logged whether the log shows %s", name)
	}
}

// filled returns a request in which no field has its zero value.
func filled[T any](t *testing.T) (request T) {
	t.Helper()
	values := map[reflect.Type]any{
		reflect.TypeFor[string](): "x", reflect.TypeFor[*string](): new("x"), reflect.TypeFor[bool](): true,
		reflect.TypeFor[map[string]string](): map[string]string{"x": "x"}, reflect.TypeFor[Secret](): NewSecret("x"),
		reflect.TypeFor[Properties](): properties(`{"x":1}`),
	}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		value, known := values[field.Type]
		failIf(t, !known, "%s: add a value of its type to this test", field.Name)
		if known {
			reflect.ValueOf(&request).Elem().Field(i).Set(reflect.ValueOf(value))
		}
	}
	return request
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
		call{known: TokenRequest{CurrentToken: secret}.confidential},
		newClient(nil).Begin(TokenRequest{CurrentToken: secret}.confidential),
		GroupRequest{Mapping: map[string]string{"x": plantedKey}}.Confidential(),

		object,
		TokenRequest{CurrentToken: secret},
		&object,
		Answer{UserGroup: UserGroup{Token: secret, Properties: object}},
		masked{newClient(nil), holder.confidential, []byte(`{"x":"` + plantedKey + `"}`)},
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
	same(t, "properties", object, "(JSON object)")
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
		`{"errors":` + strings.Repeat(`{"errors":`, 99) + strings.Repeat("}", 100),
		`{"user_group":{"token":"` + token + `\n","name":"` + token + `"},"detail":[{"loc":[],"msg":["` + token + `"]}]}`,
	} {
		for method := range fourCalls {
			f.Add([]byte(body), uint16(200), uint8(method))
			f.Add([]byte(body), uint16(400), uint8(method))
			f.Add([]byte(body), uint16(0), uint8(method))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, status uint16, method uint8) {
		call, media := fourCalls[method%4], []string{"text/html", "text/plain"}[method/4%2]
		client := newClient(inTurn(reply(int(status)%1000, string(body), "Content-Type", media)), once)
		client.secrets = append(client.secrets, NewSecret(token))
		answer, failure, kind := call.make(client)
		wantAbsent(t, "the log", fmt.Sprint(masked{client, nothingKnown, body}), key, token)
		if needsToken := call.method == "GET" || call.method == "POST"; failure == nil {
			failIf(t, status%1000/100 != 2 || needsToken && answer.UserGroup.Token.IsZero(),
				"a success with status %d: %+v", status, answer)
			return
		}
		said := failure.Error()
		failIf(t, failure.Said() == "", "the failure says nothing: %#v", failure)
		wantAbsent(t, "the failure", said, key, token)
		wasSent := kind != Blocked && kind != Stopped
		failIf(t, len([]rune(failure.Message)) > maxQuote+2 || strings.ContainsAny(said, "\n\r\x1b") || !wasSent,
			"kind %s: %q", kind, said)
	})
}
