package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// saidAfter returns the message in which a service repeats words, after an update.
func saidAfter(t *testing.T, sent GroupRequest, stored GroupRequest, said string, configure ...func(*Config)) string {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"success": 0, "message": said})
	client := newClient(inTurn(reply(400, string(body))), configure...)
	_, failure := client.Begin(stored.Confidential).Once().Update(t.Context(), sent)
	return failure.Message
}

// A text that equals the ID or the name apart from the case is no secret either.
func TestMasksShowTheIDInAnotherCase(t *testing.T) {
	t.Parallel()
	g := GroupRequest{UserGroupID: "acme", Name: new("Acme Ltd")}
	g.Properties = properties(`{"code":"ACME","slug":"acme+ltd"}`)
	same(t, "message", saidAfter(t, g, g, "user group acme: the name Acme Ltd is taken"),
		"user group acme: the name Acme Ltd is taken")
}

// The state has a property with what will be the name.
func TestMasksShowANewName(t *testing.T) {
	t.Parallel()
	p := properties(`{"company":"Acme Ltd"}`)
	stored := GroupRequest{UserGroupID: "acme", Name: new("Acme"), Properties: p}
	sent := GroupRequest{UserGroupID: "acme", Name: new("Acme Ltd"), Properties: p}
	same(t, "message", saidAfter(t, sent, stored, "the name Acme Ltd is taken"), "the name Acme Ltd is taken")
}

// A long value in an encoding is longer than what is read of a text.
func TestMasksOfLongSecrets(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"Japanese":   strings.Repeat("秘密の値段表を見せない", 300),
		"a PEM file": strings.Repeat("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n", 300),
	} {
		encoded := strings.ReplaceAll(strings.Trim(jsonASCII(value), `"`), "/", `\/`)
		g := GroupRequest{UserGroupID: "acme", Properties: Properties{raw: "{}", members: map[string]any{"p": value}}}
		got := saidAfter(t, g, GroupRequest{}, `cannot store {"p":"`+encoded+`"}`)
		failIf(t, !strings.Contains(got, mask) || strings.Contains(got, encoded[:24]), "%s: %s", name, got)
	}
}

// jsonASCII encodes a text as Python and PHP do.
func jsonASCII(text string) string {
	encoded, _ := json.Marshal(text)
	var b strings.Builder
	for _, r := range string(encoded) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// Secrets that are long enough, but not when folded.
func TestMasksOfShortSecrets(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{`a"b"c`, `C:\x`, `"pin"`, `0'9"7`} {
		encoded, _ := json.Marshal(secret)
		inner := string(encoded[1 : len(encoded)-1])
		m := (&Client{secrets: []Secret{NewSecret(secret)}}).masksOf(nothingKnown, nil)
		same(t, secret, m.conceal("<"+inner+">"), "<"+mask+">")
	}
}

// The word before the secret in a header is none, and services use it in their messages.
func TestMasksShowTheSchemeOfAHeader(t *testing.T) {
	t.Parallel()
	g := GroupRequest{UserGroupID: "acme"}
	got := saidAfter(t, g, g, "current_token is not the current token of the group", func(c *Config) {
		c.Headers["X-Gateway-Authorization"] = NewSecret("Token 6f2c77aa01")
	})
	same(t, "message", got, "current_token is not the current token of the group")
}

// A redirect leads to a path with the token or a stored value.
func TestMasksInRedirects(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]string{
		"token":   "https://other.example/groups/tok-1234567/rotate",
		"escaped": "/groups/w%61rehouse-7", "stored": "/groups/warehouse-7",
	} {
		client := newClient(inTurn(reply(307, "", "Location", location)))
		stored := func() Confidential { return Confidential{Secrets: []Secret{NewSecret("warehouse-7")}} }
		_, failure := client.Begin(stored).Once().Rotate(t.Context(), TokenRequest{CurrentToken: NewSecret("tok-1234567")})
		said := failure.Error()
		failIf(t, strings.Contains(said, "tok-1234567") || strings.Contains(said, "rehouse-7"), "%s: %s", name, said)
	}
}

// A value of which only a common word remains when it is folded is not that word.
func TestMasksShowCommonWords(t *testing.T) {
	t.Parallel()
	g := GroupRequest{UserGroupID: "acme", Properties: properties(`{"title":"Group 🏢"}`)}
	const said = "The user group acme needs a team"
	same(t, "message", saidAfter(t, g, g, said), said)
}

// A match of escape takes the first character of the next escape.
func TestMasksOfEscapesSideBySide(t *testing.T) {
	t.Parallel()
	const account, html = `CORP\émile-7`, `Tom &amp; Jerry GmbH`
	quoted, _ := json.Marshal(html)
	for text, secret := range map[string]string{
		url.QueryEscape(account): account, url.PathEscape(account): account, string(quoted[1 : len(quoted)-1]): html,
		url.QueryEscape(html): html,
	} {
		m := (&Client{secrets: []Secret{NewSecret(secret)}}).masksOf(nothingKnown, nil)
		same(t, secret, m.conceal("<"+text+">"), "<"+mask+">")
	}
}
