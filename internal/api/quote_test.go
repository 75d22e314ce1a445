package api

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// saidAfter returns the message in which a service repeats words, after an update.
func saidAfter(t *testing.T, sent GroupRequest, stored Confidential, said string, configure ...func(*Config)) string {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"success": 0, "message": said})
	client := newClient(inTurn(reply(400, string(body))), configure...)
	_, failure := client.Begin(func() Confidential { return stored }).Once().Update(t.Context(), sent)
	return failure.Message
}

// TestSecretsInAnyNotation: a service may repeat a secret in a notation of its own. None of them changes the letters
// and digits of ASCII, so that a text which has all of them must not be shown.
func TestSecretsInAnyNotation(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		"Pä\"ß's /word+\r\nC:\\new <&> ok", `CORP\émile-7`, `Tom & Jerry GmbH`, `Tom &amp; Jerry`,
		`postgres://u:p%40ss@db/x?y=1&z`, `C:\new-share\acme`,
		strings.Repeat("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n", 300),
	} {
		each := func(format string) (text string) { // writes the characters in which notations differ
			for _, character := range []byte(secret) {
				if isPlain(rune(character | 0x20)) { // also in capitals
					text += string(rune(character))
				} else {
					text += fmt.Sprintf(format, character)
				}
			}
			return text
		}
		inJSON, inGo := inner(secret), strconv.QuoteToASCII(secret)
		for notation, text := range map[string]string{
			"itself": secret, "upper case": strings.ToUpper(secret),
			"one line, lower case": strings.ToLower(strings.ReplaceAll(secret, "\r\n", " ")),
			"JSON":                 inJSON, "JSON in JSON": inner(inJSON), "JSON of PHP": strings.ReplaceAll(inGo, "/", `\/`),
			"Go": inGo, "HTML": html.EscapeString(secret), "HTML twice": html.EscapeString(html.EscapeString(secret)),
			"HTML numbers": each("&#x%x;"), "XML": each("&#%d;"), "a query": url.QueryEscape(secret),
			"a path twice": url.PathEscape(url.PathEscape(secret)), "octal": each(`\%03o`), "Ruby": each(`\u{%x}`),
			"quoted-printable": each("=%02X"), "SQL": strings.ReplaceAll(secret, "'", "''"),
			"letter by letter": strings.Join(strings.Split(secret, ""), " "), "in lines": secret[:3] + "\n" + secret[3:],
		} {
			said := saidAfter(t, GroupRequest{Mapping: map[string]string{"x": secret}}, Confidential{}, "<"+text+">.")
			isMasked := strings.Trim(said, `<"> .`) == mask
			failIf(t, said != withheld && !isMasked, "%.40q in %s: %s", secret, notation, said)
		}
	}
}

// inner returns a text as it stands in JSON.
func inner(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded[1 : len(encoded)-1])
}

// TestWordsAreShown: what is no secret must be shown, although it looks like one.
func TestWordsAreShown(t *testing.T) {
	t.Parallel()
	g := GroupRequest{
		UserGroupID: "acme", Name: new("Acme Ltd"),
		Properties: properties(`{"code":"ACME","company":"acme ltd","title":"Group 🏢","a":"on/off","b":"x-1"}`),
	}
	stored := GroupRequest{UserGroupID: "acme", Name: new("Acme"), Properties: g.Properties}
	for _, said := range []string{
		"The user group acme needs a team", "user group acme: the name Acme Ltd is taken", "it is on, and not off: x 1",
		"current_token is not the current token of the group", "token: authentication is required",
	} {
		for _, known := range []Confidential{g.Confidential(), stored.Confidential()} { // The name may be new.
			same(t, "message", saidAfter(t, g, known, said, func(c *Config) {
				c.Headers["X-Gateway-Authorization"] = NewSecret("Token 6f2c77aa01")
			}), said)
		}
	}
}

// TestTokensThatNobodyKnows: a token of which only the fingerprint is known must be masked, wherever it stands.
func TestTokensThatNobodyKnows(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab1.", 80)
	for _, token := range []string{"ugt-4b1f.9e_77a2", "abcdefghijkl", "Zm9vYmFy/MTIz+NDU2==", long} {
		known := Confidential{Fingerprints: []string{"", NewSecret(token).Fingerprint()}}
		for _, format := range []string{"%s", "It is %s.", "(%s)", "a=%s&b", "/groups/%s/rotate", "„%s“", "x-%s"} {
			said := fmt.Sprintf(format, token)
			same(t, said, saidAfter(t, GroupRequest{}, known, said), fmt.Sprintf(format, mask))
		}
		far := strings.Repeat("A long story. ", 20_000) + token
		wantAbsent(t, "a long message", saidAfter(t, GroupRequest{}, known, far), token)
		edge := strings.Repeat("x ", maxQuote/2-2) + token
		wantAbsent(t, "the end of a message", saidAfter(t, GroupRequest{}, known, edge), token[:4])
	}
}

// TestLongWords: a long text must be quoted soon, although there are many secrets. What is read of it may end in the
// middle of one, or of a token of which only the fingerprint is known.
func TestLongWords(t *testing.T) {
	t.Parallel()
	const size = 1000
	g := GroupRequest{UserGroupID: "acme", Mapping: map[string]string{}}
	for i := range 1000 {
		g.Mapping[strconv.Itoa(i)] = fmt.Sprint("warehouse-", i, "-") + strings.Repeat(rand.Text(), size/26)
	}
	long, token := g.Mapping["7"], strings.Repeat(rand.Text(), size/5)
	known := Confidential{Fingerprints: []string{NewSecret(token).Fingerprint()}}
	for name, words := range map[string]string{
		"words": "The name is not accepted. ", "letters": "a", "beginnings": "warehouse-", "a secret": long + " ",
		"it in HTML": strings.ReplaceAll(long, "-", "&amp;#45;") + " ", "a token": token + " ",
		"both": long + " " + token + " ",
	} {
		begun, said := time.Now(), saidAfter(t, g, known, strings.Repeat(words, 1<<20/len(words)))
		failIf(t, time.Since(begun) > 10*second, "%s: it took %s", name, time.Since(begun))
		failIf(t, len(said) < 5 || len([]rune(said)) > maxQuote+2, "%s: %q", name, said)
		for _, secret := range []string{long[14:], token} {
			for i := range 26 {
				wantAbsent(t, name, said, secret[i:i+8])
			}
		}
	}
}

// TestSecretsThatAreNoText: a body, a header and a token may have bytes that are not UTF-8.
func TestSecretsThatAreNoText(t *testing.T) {
	t.Parallel()
	const token = "tok-1\xff\xfe-abc"
	client := newClient(inTurn(reply(400, "token="+token+" is wrong; "+token, "Content-Type", "text/plain")), once,
		func(c *Config) { c.Headers["X-Tenant"] = NewSecret("tenant-\xff\xff") })
	_, failure, _ := put.make(client)
	same(t, "message", failure.Message, "token=(secret) is wrong; (secret)")
}

// TestSecretsInRedirects: a redirect may lead to a path with the token or a stored value.
func TestSecretsInRedirects(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]string{
		"token": "https://other.example/groups/tok-1234567/rotate", "other": "/groups/ugt-7654321/x",
		"escaped": "/groups/w%61rehouse-7", "stored": "/groups/warehouse-7",
	} {
		client := newClient(inTurn(reply(307, "", "Location", location)))
		stored := func() Confidential {
			other := []string{NewSecret("ugt-7654321").Fingerprint()}
			return Confidential{Secrets: []Secret{NewSecret("warehouse-7")}, Fingerprints: other}
		}
		_, failure := client.Begin(stored).Once().Rotate(t.Context(), TokenRequest{CurrentToken: NewSecret("tok-1234567")})
		wantAbsent(t, name, failure.Error(), "tok-1234567", "rehouse-7", "ugt-7654321")
	}
}
