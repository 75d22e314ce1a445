package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// conceal masks every secret that this client or the given call knows in a text that came from the service.
func (c *Client) conceal(text string, more ...Secret) string {
	secrets := append(slices.Collect(maps.Values(c.config.Headers)), c.config.APIKey)
	secrets = append(secrets, more...)
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

// tokenFields hold tokens, in requests and in answers.
var tokenFields = []string{"token", "current_token"}

// isSecretField also takes in what an answer of another shape than the documented one may call its tokens.
func isSecretField(name string) bool { return strings.Contains(strings.ToLower(name), "token") }

// secrets returns the tokens in this object, however deep and in whatever shape: an answer that cannot be used can
// still give a token away.
func (m members) secrets() []Secret {
	var secrets []Secret
	for name, raw := range m {
		if value, err := readTree(json.NewDecoder(bytes.NewReader(raw))); err == nil {
			secrets = value.secrets(secrets, name)
		}
	}
	return secrets
}

// masked writes the object with tokens masked and with properties, which can hold personal data, left out.
func (m members) masked(conceal func(string) string) string {
	whole := tree{open: '{'}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if value, err := readTree(json.NewDecoder(bytes.NewReader(m[name]))); err == nil {
			whole.names, whole.children = append(whole.names, name), append(whole.children, value)
		}
	}
	var text strings.Builder
	whole.write(&text, conceal)
	return text.String()
}

// tree is a JSON value as it was written, with duplicate names and in its order.
type tree struct {
	open     json.Delim // 0 for a scalar
	scalar   any
	names    []string // of an object's children
	children []tree
}

// readTree recurses as deep as the text is nested. encoding/json has limited that when it read the text as one value;
// reading token by token does not.
func readTree(decoder *json.Decoder) (tree, error) {
	decoder.UseNumber()
	token, err := decoder.Token()
	if err != nil {
		return tree{}, err
	}
	open, isDelim := token.(json.Delim)
	if !isDelim {
		// JSON within a text is looked into as well, and shown as if it were none.
		if text, _ := token.(string); strings.ContainsAny(text, "{[") && json.Valid([]byte(text)) {
			return readTree(json.NewDecoder(strings.NewReader(text)))
		}
		return tree{scalar: token}, nil
	}
	whole := tree{open: open}
	for decoder.More() {
		if open == '{' {
			token, err := decoder.Token()
			if err != nil {
				return tree{}, err
			}
			name, _ := token.(string)
			whole.names = append(whole.names, name)
		}
		child, err := readTree(decoder)
		if err != nil {
			return tree{}, err
		}
		whole.children = append(whole.children, child)
	}
	_, err = decoder.Token()
	return whole, err
}

// secrets appends the tokens in the value of the field of the given name.
func (t tree) secrets(found []Secret, name string) []Secret {
	switch scalar := t.scalar.(type) {
	case string:
		if isSecretField(name) {
			found = append(found, NewSecret(scalar))
		}
	case json.Number:
		// Only here: some "tokens_left": 3 would mask every 3.
		if slices.Contains(tokenFields, name) {
			found = append(found, NewSecret(scalar.String()))
		}
	}
	for i, child := range t.children {
		if childName := t.name(i); childName != "" && !isSecretField(name) {
			found = child.secrets(found, childName)
		} else {
			found = child.secrets(found, name)
		}
	}
	return found
}

func (t tree) name(i int) string {
	if t.open == '{' {
		return t.names[i]
	}
	return ""
}

// write conceals what is unescaped and escapes it then: a service that writes a/b as "a\/b" would get it past otherwise.
func (t tree) write(text *strings.Builder, conceal func(string) string) {
	switch scalar := t.scalar.(type) {
	case string:
		text.WriteString(quoted(conceal(scalar)))
	case json.Number:
		text.WriteString(conceal(scalar.String()))
	case bool:
		text.WriteString(map[bool]string{true: "true", false: "false"}[scalar])
	}
	if t.scalar == nil && t.open == 0 {
		text.WriteString("null")
	}
	if t.open == 0 {
		return
	}
	text.WriteRune(rune(t.open))
	for i, child := range t.children {
		if i > 0 {
			text.WriteByte(',')
		}
		name := t.name(i)
		if t.open == '{' {
			text.WriteString(quoted(conceal(name)) + ":")
		}
		if isSecretField(name) || name == "properties" {
			text.WriteString(quoted(mask))
			continue
		}
		child.write(text, conceal)
	}
	text.WriteRune(map[json.Delim]rune{'{': '}', '[': ']'}[t.open])
}

func quoted(text string) string {
	// A string can always be encoded.
	encoded, _ := encode(text)
	return string(encoded)
}
