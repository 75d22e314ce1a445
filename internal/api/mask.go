package api

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// conceal masks all secrets of this client, and the given ones, in a text.
func (c *Client) conceal(text string, more ...Secret) string {
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

// oneLine replaces unprintable characters with spaces, so that untrusted text cannot disturb the terminal: line
// breaks, escape sequences, and characters that change the reading direction.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// maxMessage is how many characters of an untrusted text are shown, maxName how many of a program's name or a title.
const maxMessage, maxName = 300, 60

// shown returns an untrusted text in a form fit for a message: on one line, truncated to limit characters, and with
// all known secrets masked.
func (c *call) shown(text string, limit int, more ...Secret) string {
	text = strings.Join(strings.Fields(oneLine(c.client.conceal(text, append(more, c.secret)...))), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + " …"
	}
	return text
}

// isSecretField reports whether a field may contain a token. It also covers names that the contract does not have.
func isSecretField(name string) bool { return strings.Contains(strings.ToLower(name), "token") }

// masked returns a copy of a JSON text in which the tokens and the properties, which can contain personal data, are
// masked. It also returns the tokens, at any depth, and those before a fault, too, since a response that cannot be
// used can still reveal a token. All other strings pass through conceal after unescaping. Otherwise, a service that
// writes a/b as "a\/b" would get a secret past it.
func masked(text []byte, conceal func(string) string) (string, []Secret, error) {
	var out bytes.Buffer
	m := masker{conceal: conceal}
	m.encoder = jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := m.copy(newLenientDecoder(text), "")
	return strings.TrimSuffix(out.String(), "\n"), m.tokens, err
}

func tokensIn(text []byte) []Secret {
	_, tokens, _ := masked(text, func(text string) string { return text })
	return tokens
}

func newLenientDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

type masker struct {
	encoder *jsontext.Encoder
	conceal func(string) string
	tokens  []Secret
}

// copy copies the next value, which belongs to the member called name, directly or within a list.
func (m *masker) copy(decoder *jsontext.Decoder, name string) error {
	if name == "properties" {
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		return m.encoder.WriteToken(jsontext.String(mask))
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	switch kind := token.Kind(); {
	case kind == '{' || kind == '[':
		return m.copyMembers(decoder, token, name)
	case kind == '"' && strings.ContainsAny(text, "{[") && jsontext.Value(text).IsValid():
		// JSON in a string is masked, too, and written as JSON instead of as a string.
		return m.copy(newLenientDecoder([]byte(text)), name)
	case kind == '"' && isSecretField(name), kind == '0' && (name == "token" || name == "current_token"):
		// Other numbers are not tokens. With "tokens_left": 3, every 3 would be masked.
		m.tokens = append(m.tokens, NewSecret(text))
		return m.encoder.WriteToken(jsontext.String(mask))
	case kind == '"', kind == '0' && m.conceal(text) != text:
		return m.encoder.WriteToken(jsontext.String(m.conceal(text)))
	default:
		return m.encoder.WriteToken(token)
	}
}

// copyMembers copies the rest of an object or an array. All strings within a secret field are tokens.
func (m *masker) copyMembers(decoder *jsontext.Decoder, open jsontext.Token, name string) error {
	if err := m.encoder.WriteToken(open); err != nil {
		return err
	}
	isObject := open.Kind() == '{'
	for kind := decoder.PeekKind(); kind != '}' && kind != ']'; kind = decoder.PeekKind() {
		member := name
		if isObject {
			token, err := decoder.ReadToken()
			if err != nil {
				return err
			}
			if !isSecretField(name) {
				member = token.String()
			}
			if err := m.encoder.WriteToken(jsontext.String(m.conceal(token.String()))); err != nil {
				return err
			}
		}
		if err := m.copy(decoder, member); err != nil {
			return err
		}
	}
	end, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	return m.encoder.WriteToken(end)
}
