package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// mask is what every secret looks like to whoever prints it.
const mask = "(secret)"

// Secret holds an API key or a user group token and prints as a mask in every format verb, in JSON, as text and in
// slog. The zero value is "no secret". Secrets of the same text are equal.
//
// fmt calls no method of a value in an unexported field, but prints what is inside. Therefore the text is behind a
// pointer, which fmt prints as an address; a unique.Handle is one that can be compared.
type Secret struct{ text unique.Handle[string] }

// NewSecret wraps text; the empty text is the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: unique.Make(text)}
}

// Reveal returns the secret itself, for the wire and for Terraform's sensitive attributes only.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.text.Value()
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s == Secret{} }

// Fingerprint returns the first 12 hexadecimal digits of the secret's SHA-256, which tell one secret from another
// without giving either away.
func (s Secret) Fingerprint() string {
	sum := sha256.Sum256([]byte(s.Reveal()))
	return hex.EncodeToString(sum[:6])
}

// Format implements fmt.Formatter: no verb and no flag reveals the secret.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// String implements fmt.Stringer for callers that do not go through fmt.
func (Secret) String() string { return mask }

// MarshalText implements encoding.TextMarshaler, which encoding/json and most loggers use.
func (Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(mask) }
