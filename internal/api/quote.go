package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// shortestSecret is how many characters a text must have to be kept out of the words of others. A shorter one occurs
	// in many words by chance. Masking it would make them unreadable, and so reveal it.
	shortestSecret = 4
	// leastRepeated is how many letters and digits of ASCII a secret must have to be found in another notation.
	leastRepeated = 8
	// maxQuote is how many characters of the words of others are shown.
	maxQuote = 300
	// maxSearched is how many bytes of a body are searched for tokens where the contract has none, and mostTokens how many
	// of them are found.
	maxSearched = 64 << 10
	mostTokens  = 20

	withheld = "(withheld, because it repeats something confidential)"
)

// Confidential is what messages and logs must not show, and what they may.
type Confidential struct {
	Secrets      []Secret
	Fingerprints []string // of tokens that must not be shown either, although nobody knows them
	Shown        []string // IDs and names, which are no secrets, and neither is a text that equals one of them
}

// And returns both.
func (c Confidential) And(other Confidential) Confidential {
	return Confidential{
		slices.Concat(c.Secrets, other.Secrets), slices.Concat(c.Fingerprints, other.Fingerprints),
		slices.Concat(c.Shown, other.Shown),
	}
}

// texts returns the secrets that can be told from other words, the longest first.
func (c Confidential) texts() (texts []string) {
	for _, secret := range c.Secrets {
		text := strings.TrimSpace(string([]rune(secret.Reveal()))) // For regexp, each byte that is no text is U+FFFD.
		isShown := slices.ContainsFunc(c.Shown, func(shown string) bool { return strings.EqualFold(shown, text) })
		if utf8.RuneCountInString(text) >= shortestSecret && !isShown {
			texts = append(texts, text)
		}
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return texts
}

// quoter quotes the words of others: it masks each secret, in whatever case. Words that repeat a secret in another
// notation are withheld, because no list of notations is ever complete.
type quoter struct {
	texts        []string       // the secrets
	pattern      *regexp.Regexp // matches each of them
	fingerprints []string       // of secrets that nobody knows
}

// quoter returns what quotes the words in a body, or other words about a call. It knows the secrets of the client and
// of the call, and the tokens in the body.
func (c *Client) quoter(known func() Confidential, body []byte) quoter {
	confidential := known().And(Confidential{Secrets: slices.Concat(c.secrets, tokensIn(body))})
	q := quoter{texts: confidential.texts(), fingerprints: confidential.Fingerprints}
	patterns := []string{`[^\s\S]`} // It matches nothing.
	for _, text := range q.texts {
		patterns = append(patterns, regexp.QuoteMeta(text))
	}
	q.pattern = regexp.MustCompile("(?i)" + strings.Join(patterns, "|"))
	return q
}

// quote returns the beginning of the words of others, on one line.
func (q quoter) quote(words string) string {
	words = onOneLine(words)
	for _, token := range q.tokensIn(words) {
		words = strings.ReplaceAll(words, token, mask)
	}
	words = q.pattern.ReplaceAllLiteralString(words, mask)
	lower := strings.ToLower(words)
	if slices.ContainsFunc(q.texts, func(secret string) bool { return repeats(lower, secret) }) {
		return withheld
	}
	return shortened(words)
}

// repeats reports whether a text in lower case has everything of a secret that no notation changes: JSON, HTML,
// addresses and the languages of programs all write the letters and digits of ASCII as they are. A few of them can be a
// common word.
func repeats(lower, secret string) bool {
	runs := strings.FieldsFunc(strings.ToLower(secret), func(r rune) bool { return !isPlain(r) })
	isMissing := func(run string) bool { return !strings.Contains(lower, run) }
	return len(strings.Join(runs, "")) >= leastRepeated && !slices.ContainsFunc(runs, isMissing)
}

func isPlain(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }

// piece matches the pieces of a text of which tokens consist. No token begins or ends within one.
var piece = regexp.MustCompile(`[0-9A-Za-z]+|[^0-9A-Za-z]`)

// tokensIn returns what has one of the fingerprints, and would be shown.
func (q quoter) tokensIn(text string) (tokens []string) {
	const longest = 200 // pieces
	if strings.Join(q.fingerprints, "") == "" {
		return nil
	}
	pieces := piece.FindAllString(text, maxQuote+longest)
	for begin := range min(len(pieces), maxQuote) {
		hash := sha256.New()
		for end := begin; end < min(len(pieces), begin+longest); end++ {
			_, _ = io.WriteString(hash, pieces[end])
			if slices.Contains(q.fingerprints, fingerprintOf(hash.Sum(nil))) {
				tokens = append(tokens, strings.Join(pieces[begin:end+1], ""))
			}
		}
	}
	return tokens
}

// onOneLine returns a text without line breaks and escape sequences, which could disturb a terminal.
func onOneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// shortened returns the beginning of a text.
func shortened(text string) string {
	if characters := []rune(text); len(characters) > maxQuote {
		return string(characters[:maxQuote]) + " …"
	}
	return text
}

// secrets returns the key, the values of the headers, and the words in them, such as the one after Bearer.
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

// tokensIn returns the tokens in a body. No name of a member is needed to find a token where the contract has one.
func tokensIn(body []byte) (tokens []Secret) {
	read := fieldsOf(body)
	for _, object := range []fields{read, fieldsOf(read["user_group"])} {
		tokens = append(tokens, object.token())
	}
	for _, found := range tokenText.FindAllSubmatch(body[:min(len(body), maxSearched)], mostTokens) {
		tokens = append(tokens, NewSecret(string(bytes.Join(found[1:], nil))))
	}
	return tokens
}

// tokenText matches a token where the contract has none: in another member, in a part of a response, or in a value that
// a program has printed. Outside of JSON, a word without a digit is no token.
var tokenText = regexp.MustCompile(`(?i)token\w*(?:"\s*:\s*"([^\s"\\]+)"` +
	`|[\\"']*\s*[:=][\\"'\s\[]*(` + inWord + `*\d` + inWord + `*))`)

const inWord = `[^\s\\"',;:(){}\[\]<>]`

// Confidential returns the texts in the mapping and the properties, and what is shown.
func (r GroupRequest) Confidential() Confidential {
	known := Confidential{Shown: []string{r.UserGroupID, *cmp.Or(r.Name, new(""))}}
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
