package api

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// conceal masks every secret that this client or the given call knows in a text that came from the service.
func (c *Client) conceal(text string, more ...Secret) string {
	secrets := append(slices.Clone(c.secrets), more...)
	// The longest first: masking a secret that another one begins with would leave the rest of the longer one.
	slices.SortFunc(secrets, func(a, b Secret) int { return cmp.Compare(len(b.Reveal()), len(a.Reveal())) })
	for _, secret := range secrets {
		if !secret.IsZero() {
			text = strings.ReplaceAll(text, secret.Reveal(), mask)
		}
	}
	return text
}

// oneLine keeps a text that somebody else made up from disturbing the terminal: line breaks, escape sequences and what
// changes the direction of reading become spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// maxMessage and maxName are how much is shown of a text that somebody else made up, and of what a program calls
// itself.
const maxMessage, maxName = 300, 60

// shown is a text that somebody else made up, fit for a message: on one line, cut short, and without any secret that is
// known.
func (c *call) shown(text string, limit int, more ...Secret) string {
	text = strings.Join(strings.Fields(oneLine(c.client.conceal(text, append(more, c.secret)...))), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + " …"
	}
	return text
}

// isSecretField also takes in what an answer of another shape than the documented one may call its tokens.
func isSecretField(name string) bool { return strings.Contains(strings.ToLower(name), "token") }

// masked copies a JSON text with its tokens masked and its properties, which can hold personal data, left out. The
// tokens in it, however deep and in whatever shape, come back as well, those before a fault too: an answer that
// cannot be used can still give a token away. All other text passes through conceal, unescaped: a service that writes
// a/b as "a\/b" would get a secret past otherwise.
func masked(text []byte, conceal func(string) string) (string, []Secret, error) {
	var out bytes.Buffer
	m := masker{conceal: conceal}
	m.encoder = jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := m.copy(newLenientDecoder(text), "")
	return strings.TrimSuffix(out.String(), "\n"), m.tokens, err
}

// tokensIn returns the tokens in a JSON text.
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

// copy copies a value, that of the member called name, or that is somewhere in it.
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
		// JSON within a text is looked into as well, and shown as if it were none.
		return m.copy(newLenientDecoder([]byte(text)), name)
	case kind == '"' && isSecretField(name), kind == '0' && (name == "token" || name == "current_token"):
		// Of numbers only these: some "tokens_left": 3 would mask every 3.
		m.tokens = append(m.tokens, NewSecret(text))
		return m.encoder.WriteToken(jsontext.String(mask))
	case kind == '"', kind == '0' && m.conceal(text) != text:
		return m.encoder.WriteToken(jsontext.String(m.conceal(text)))
	default:
		return m.encoder.WriteToken(token)
	}
}

// copyMembers copies the rest of an object or an array. What is in a field of tokens is a token, under whatever name.
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
