package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

func (c *Client) log(
	ctx context.Context, call call, number int, response *http.Response, body []byte, failure *Error, took time.Duration,
) {
	fields := map[string]any{
		"method": call.method, "user_group_id": call.id, "attempt": number, "took_ms": took.Milliseconds(),
	}
	if response != nil {
		fields["status"] = response.StatusCode
	}
	if failure != nil {
		fields["failure"] = failure.Said()
	}
	tflog.Debug(ctx, "Called the user group service", fields)
	tflog.Trace(ctx, "Bodies of the call, secrets masked", map[string]any{
		"method": call.method, "user_group_id": call.id,
		"request": masked{c, call.secret, call.body}, "response": masked{c, call.secret, body},
	})
}

// mayBeLogged lists the fields whose texts, numbers and flags the TRACE log shows. Everything else is masked.
var mayBeLogged = []string{
	"success", "new_user_group", "team_id", "name", "provided_id", "user_group_id", "api_environment_tag",
	"data_source_provided_id",
}

// masked is a body for the log. The masked text is only computed if a logger formats it.
type masked struct {
	client *Client
	secret Secret // of the call
	body   []byte
}

// MarshalText is for loggers that write JSON, and Format for all others. No verb prints the raw bytes.
func (m masked) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
func (m masked) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, m.String()) }

func (m masked) String() string {
	read := fieldsOf(m.body)
	if read == nil {
		return fmt.Sprintf("(%d bytes that are not a JSON object)", len(m.body))
	}
	secrets := append(tokensIn(m.body), m.secret)
	conceal := func(text string) string { return m.client.concealed(text, secrets...) }
	shown := read.masked(conceal)
	if group := fieldsOf(read["user_group"]); group != nil {
		shown["user_group"] = group.masked(conceal)
	}
	text, _ := json.Marshal(shown) // cannot fail with what was decoded
	return string(text)
}

// masked returns the members with all values masked that may not be logged. Even a name may be a secret.
func (f fields) masked(conceal func(string) string) map[string]any {
	shown := make(map[string]any, len(f))
	for name, value := range f {
		text := f.text(name)
		switch {
		case !slices.Contains(mayBeLogged, name), strings.ContainsAny(string(value[:1]), "{["):
			shown[conceal(name)] = mask
		case text != nil && (value[0] == '"' || conceal(*text) != *text):
			shown[name] = conceal(*text)
		default:
			shown[name] = value
		}
	}
	return shown
}

// concealed masks all secrets of this client, and the given ones, in a text.
func (c *Client) concealed(text string, more ...Secret) string {
	secrets := append(slices.Clone(c.secrets), more...)
	// The longest comes first. Masking a prefix of another secret would leave the rest of that secret readable.
	slices.SortFunc(secrets, func(a, b Secret) int { return cmp.Compare(len(b.Reveal()), len(a.Reveal())) })
	for _, secret := range secrets {
		if !secret.IsZero() {
			text = strings.ReplaceAll(text, secret.Reveal(), mask)
		}
	}
	return text
}

// maxMessage is how many characters of an untrusted text are shown.
const maxMessage = 300

// shown returns an untrusted text in a form fit for a message: on one line, truncated, with all known secrets masked.
func (c *Client) shown(text string, more ...Secret) string {
	text = strings.Join(strings.FieldsFunc(c.concealed(text, more...), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) // Line breaks and escape sequences could disturb a terminal.
	}), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		return string(runes[:maxMessage]) + " …"
	}
	return text
}
