package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortestMask is how many characters a secret must have to be masked. A shorter one occurs in many words by chance.
// Masking it would make them unreadable, and so reveal it.
const shortestMask = 4

// maxWords is how many bytes of a text are read that somebody else has written.
const maxWords = 8 << 10

// maxMessage is how many characters of such a text are shown.
const maxMessage = 300

// Confidential is what messages and logs may show, and what not.
type Confidential struct {
	Secrets      []Secret // are masked wherever the service repeats them
	Fingerprints []string // of tokens that are masked, too, although nobody knows them
	Shown        []string // IDs and names, which are no secrets, and neither is a text that equals one of them
}

// And returns both.
func (c Confidential) And(other Confidential) Confidential {
	return Confidential{
		slices.Concat(c.Secrets, other.Secrets), slices.Concat(c.Fingerprints, other.Fingerprints),
		slices.Concat(c.Shown, other.Shown),
	}
}

// masks are the secrets to mask in the words of one call: as they are, and as fold writes them.
type masks struct{ exact, folded secretList }

// masksOf returns the secrets of the client and of a call, and all tokens in a body.
func (c *Client) masksOf(known func() Confidential, body []byte) masks {
	confidential := known()
	shown := map[string]bool{}
	for _, text := range confidential.Shown {
		shown[foldedText(text)] = text != ""
	}
	secrets := slices.DeleteFunc(confidential.Secrets, func(secret Secret) bool {
		return shown[foldedText(secret.Reveal())]
	})
	secrets = slices.Concat(c.secrets, secrets, tokensIn(body), wordsWith(confidential.Fingerprints, body))
	secrets = slices.DeleteFunc(secrets, func(secret Secret) bool { return isShort(secret.Reveal()) })
	var folded []Secret
	for _, secret := range secrets {
		text := foldedText(secret.Reveal())
		if !isShort(text) {
			folded = append(folded, NewSecret(text))
			continue
		}
		encoded, _ := json.Marshal(secret.Reveal()) // what is left is too short to be told from other words
		secrets = append(secrets, NewSecret(string(encoded[1:len(encoded)-1])))
	}
	return masks{listOf(secrets), listOf(folded)}
}

func isShort(text string) bool { return utf8.RuneCountInString(text) < shortestMask }

// word matches what can be a token.
var word = regexp.MustCompile(`[^\s"',;:(){}\[\]<>\\]{8,}`)

// wordsWith returns the words in a body that have one of the fingerprints.
func wordsWith(fingerprints []string, body []byte) (words []Secret) {
	for _, found := range word.FindAll(body[:min(len(body), maxWords)], -1) {
		if secret := NewSecret(string(found)); slices.Contains(fingerprints, secret.Fingerprint()) {
			words = append(words, secret)
		}
	}
	return words
}

// secretList are secrets, sorted by their texts. For each of them, prefixes has the index of the longest other one with
// which it begins, or -1.
type secretList struct {
	secrets  []Secret
	prefixes []int
}

func listOf(all []Secret) secretList {
	slices.SortFunc(all, func(a, b Secret) int { return cmp.Compare(a.Reveal(), b.Reveal()) })
	all = slices.Compact(all)
	prefixes := make([]int, len(all))
	for i, secret := range all {
		before := i - 1
		for before >= 0 && !strings.HasPrefix(secret.Reveal(), all[before].Reveal()) {
			before = prefixes[before]
		}
		prefixes[i] = before
	}
	return secretList{all, prefixes}
}

// conceal returns the beginning of a text, with every character masked that is part of a secret, in whatever encoding.
// The time that it takes does not depend on how long the text is, and hardly on how many secrets there are.
func (m masks) conceal(text string) string {
	beginning, wasCut := cutBetween(text)
	ends := m.folded.ends(fold(beginning), wasCut)
	var shown strings.Builder
	end := 0 // of the last secret
	for at, character := range text {
		if at >= maxWords {
			return shown.String() + " …"
		}
		isInside := at < end
		end = max(end, at+m.exact.longest(text[at:]), ends[at])
		switch {
		case isInside:
		case at < end:
			shown.WriteString(mask)
		default:
			shown.WriteRune(character)
		}
	}
	return shown.String()
}

// cutBetween returns the beginning of a text that is longer than is ever shown. It cuts between two characters, also if
// they are escaped.
func cutBetween(text string) (beginning string, wasCut bool) {
	const longestEscape = 12
	if len(text) <= 2*maxWords {
		return text, false
	}
	end := 2 * maxWords
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if last := strings.LastIndexAny(text[:end], `\%&`); last > end-longestEscape {
		end = last
	}
	return text[:end], true
}

// ends returns where secrets begin and end in the original of a text. If the text was cut, a secret may end after it.
func (l secretList) ends(text folded, wasCut bool) map[int]int {
	ends := map[int]int{}
	for i := range text.text {
		length := l.longest(text.text[i:])
		if rest := text.text[i:]; wasCut && l.begins(rest) {
			length = len(rest)
		}
		if length > 0 {
			begin := text.original(i).begin
			ends[begin] = max(ends[begin], text.original(i+length-1).end)
		}
	}
	return ends
}

// longest returns the length of the longest secret with which a text begins, or 0. Each secret with which it begins is
// the last one that does not come after the text, or one with which that one begins.
func (l secretList) longest(text string) int {
	at := sort.Search(len(l.secrets), func(i int) bool { return l.secrets[i].Reveal() > text }) - 1
	if at < 0 {
		return 0
	}
	common := commonPrefix(l.secrets[at].Reveal(), text)
	for at >= 0 && len(l.secrets[at].Reveal()) > common {
		at = l.prefixes[at]
	}
	if at < 0 {
		return 0
	}
	return len(l.secrets[at].Reveal())
}

// begins reports whether a secret begins with a text.
func (l secretList) begins(text string) bool {
	at := sort.Search(len(l.secrets), func(i int) bool { return l.secrets[i].Reveal() >= text })
	return at < len(l.secrets) && strings.HasPrefix(l.secrets[at].Reveal(), text)
}

func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// shown returns a text of somebody else in a form fit for a message.
func (m masks) shown(text string) string { return onOneLine(m.conceal(text)) }

// onOneLine returns the beginning of a text without line breaks and escape sequences, which could disturb a terminal.
func onOneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if characters := []rune(text); len(characters) > maxMessage {
		return string(characters[:maxMessage]) + " …"
	}
	return text
}

// secrets returns the key, the values of the headers, and the words in them that can be secrets, such as the one after
// Bearer.
func (c Config) secrets() []Secret {
	secrets := []Secret{c.APIKey}
	for _, value := range c.Headers {
		secrets = append(secrets, value)
		for _, word := range strings.FieldsFunc(value.Reveal(), isBetweenWords) {
			if _, content, _ := strings.Cut(word, "="); content != "" { // a cookie
				word = content
			}
			if !slices.Contains(schemes, strings.ToLower(word)) {
				secrets = append(secrets, NewSecret(word))
			}
		}
	}
	return secrets
}

// schemes come before the secret in the value of a header.
var schemes = []string{"basic", "bearer", "digest", "token", "apikey", "key"}

func isBetweenWords(character rune) bool { return strings.ContainsRune(" \t,;:\"", character) }

// Confidential returns the texts in the mapping and the properties, and what is shown.
func (r GroupRequest) Confidential() Confidential {
	known := Confidential{Shown: []string{r.UserGroupID}}
	if r.Name != nil {
		known.Shown = append(known.Shown, *r.Name)
	}
	for _, text := range r.Mapping {
		known.Secrets = append(known.Secrets, NewSecret(text))
	}
	mapped(r.Properties.members, func(value any) any {
		if text, isText := value.(string); isText {
			known.Secrets = append(known.Secrets, NewSecret(text))
		}
		return value
	})
	return known
}

func (r TokenRequest) confidential() Confidential {
	return Confidential{Secrets: []Secret{r.CurrentToken}}
}

func nothingKnown() Confidential { return Confidential{} }

// tokensIn returns all texts and numbers in members of a JSON value whose name contains "token". A text with a space is
// no token, but what is wrong with one.
func tokensIn(body []byte) (tokens []Secret) {
	var collect func(value any, isToken bool)
	collect = func(value any, isToken bool) {
		switch value := value.(type) {
		case string:
			if isToken && !strings.Contains(value, " ") {
				tokens = append(tokens, NewSecret(value))
			}
		case json.Number:
			if isToken {
				tokens = append(tokens, NewSecret(value.String()))
			}
		case []any:
			for _, item := range value {
				collect(item, isToken)
			}
		case map[string]any:
			for name, member := range value {
				collect(member, isToken || strings.Contains(strings.ToLower(name), "token"))
			}
		}
	}
	collect(decoded(body), false)
	for _, found := range tokenText.FindAllSubmatch(body[:min(len(body), maxWords)], -1) {
		if bytes.ContainsAny(found[1], "0123456789") {
			tokens = append(tokens, NewSecret(string(found[1])))
		}
	}
	return tokens
}

// tokenText matches a token in a text that is not JSON, or is only a part of it: a response that was cut, or that
// another one quotes. A word without a digit is no token. It is searched for in as much of a body as is read.
var tokenText = regexp.MustCompile(`(?i)token\w*[\\"']*\s*[:=]\s*[\\"']*([^\s\\"',;:{}\[\]<>]{8,})`)
