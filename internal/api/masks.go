package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
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

// masks are the secrets to mask in the words of one call: as they are, and as fold writes them.
type masks struct{ exact, folded secretList }

// secretList is sorted by the texts of the secrets.
type secretList []Secret

// listOf returns the list of all secrets that are long enough.
func listOf(all []Secret) secretList {
	all = slices.DeleteFunc(all, func(secret Secret) bool {
		return utf8.RuneCountInString(secret.Reveal()) < shortestMask
	})
	slices.SortFunc(all, func(a, b Secret) int { return cmp.Compare(a.Reveal(), b.Reveal()) })
	return slices.Compact(all)
}

// masksOf returns the secrets of the client and of a call, and all tokens in a body.
func (c *Client) masksOf(secrets func() []Secret, body []byte) masks {
	all := slices.Concat(c.secrets, secrets(), tokensIn(body))
	var foldedOnes []Secret
	for _, secret := range all {
		foldedOnes = append(foldedOnes, NewSecret(strings.TrimSpace(fold(secret.Reveal()).text)))
	}
	return masks{listOf(all), listOf(foldedOnes)}
}

// conceal returns the beginning of a text, with every character masked that is part of a secret, in whatever encoding.
// The time that it takes does not depend on how long the text is, and hardly on how many secrets there are.
func (m masks) conceal(text string) string {
	ends := m.folded.ends(fold(text[:min(len(text), 2*maxWords)]))
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

// ends returns where secrets begin and end in the original of a text.
func (l secretList) ends(text folded) map[int]int {
	ends := map[int]int{}
	for i := range text.text {
		if length := l.longest(text.text[i:]); length > 0 {
			begin := text.original(i).begin
			ends[begin] = max(ends[begin], text.original(i+length-1).end)
		}
	}
	return ends
}

// longest returns the length of the longest secret with which a text begins, or 0.
func (l secretList) longest(text string) int {
	for text != "" {
		after := sort.Search(len(l), func(i int) bool { return l[i].Reveal() > text })
		if after == 0 {
			return 0
		}
		// A secret with which the text begins is this one, or is shorter than what they have in common.
		before := l[after-1].Reveal()
		common := commonPrefix(before, text)
		if common == len(before) {
			return common
		}
		text = text[:common]
	}
	return 0
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

// secrets returns the key, the values of the headers, and the words in them, such as the one after Bearer.
func (c Config) secrets() []Secret {
	secrets := []Secret{c.APIKey}
	for _, value := range c.Headers {
		secrets = append(secrets, value)
		for _, word := range strings.FieldsFunc(value.Reveal(), isBetweenWords) {
			secrets = append(secrets, NewSecret(word))
		}
	}
	return secrets
}

func isBetweenWords(character rune) bool { return strings.ContainsRune(" \t,;:=\"", character) }

// Secrets returns all texts in the mapping and the properties. The ID and the name are no secrets, and neither is a
// text that equals one of them.
func (r GroupRequest) Secrets() (secrets []Secret) {
	texts := slices.Collect(maps.Values(r.Mapping))
	mapped(r.Properties.members, func(value any) any {
		if text, isText := value.(string); isText {
			texts = append(texts, text)
		}
		return value
	})
	for _, text := range texts {
		isShown := text == r.UserGroupID || r.Name != nil && text == *r.Name
		if !isShown {
			secrets = append(secrets, NewSecret(text))
		}
	}
	return secrets
}

func (r TokenRequest) secrets() []Secret { return []Secret{r.CurrentToken} }

func noSecrets() []Secret { return nil }

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
