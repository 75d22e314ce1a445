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
	// maxSearched is how many bytes of a body are searched for the title of a page, and for tokens where the contract has
	// none. mostTokens is how many of these are found.
	maxSearched = 64 << 10
	mostTokens  = 20

	// mostNotation is how many times as long as a secret another notation of it is at most, and leastRoom how many bytes a
	// token has at most of which only the fingerprint is known.
	mostNotation, leastRoom = 8, 8 << 10
	// hole and further stand for the bytes of what is masked, while the words are searched for more. onOneLine leaves none
	// of them.
	hole, further = "\x00", "\x01"

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

// searched is a secret, as words are searched for it.
type searched struct {
	lower, hole string
	runs        []string // what no notation changes of it, or nil if that is little
}

// searched returns the secrets that can be told from other words, the longest first.
func (c Confidential) searched() (secrets []searched) {
	for _, secret := range c.Secrets {
		text := strings.TrimSpace(string([]rune(secret.Reveal()))) // As in quote.
		isShown := slices.ContainsFunc(c.Shown, func(shown string) bool { return strings.EqualFold(shown, text) })
		if utf8.RuneCountInString(text) >= shortestSecret && !isShown {
			lower := lowered(text)
			secrets = append(secrets, searched{lower, holeFor(lower), runsOf(lower)})
		}
	}
	slices.SortFunc(secrets, func(a, b searched) int { return cmp.Compare(len(b.lower), len(a.lower)) })
	return secrets
}

// quoter quotes the words of others: it masks each secret, in whatever case. Words that repeat a secret in another
// notation are withheld, because no list of notations is ever complete.
type quoter struct {
	secrets      []searched
	fingerprints []string // of secrets that nobody knows
	// room is how many bytes of words a secret takes at most.
	room int
}

// quoter returns what quotes the words in a body, or other words about a call. It knows the secrets of the client and
// of the call, and the tokens in the body.
func (c *Client) quoter(known func() Confidential, body []byte) quoter {
	confidential := known().And(Confidential{Secrets: slices.Concat(c.secrets, tokensIn(body))})
	q := quoter{confidential.searched(), confidential.Fingerprints, leastRoom}
	for _, secret := range q.secrets {
		q.room = max(q.room, mostNotation*len(secret.lower))
	}
	return q
}

// quote returns the beginning of the words of others, on one line. It reads no more of them than that takes: a secret
// that begins in the last part of what it has read may be cut, so that part is not shown.
func (q quoter) quote(words string) string {
	read := min(len(words), maxQuote*utf8.UTFMax+2*q.room)
	shown := onOneLine(string([]rune(words[:read]))) // Each byte that is no text becomes U+FFFD.
	for _, token := range q.tokensIn(shown) {
		shown = strings.ReplaceAll(shown, token, holeFor(token))
	}
	shown = q.masked(shown)
	plain := strings.Join(plainIn(lowered(shown)), "")
	if slices.ContainsFunc(q.secrets, func(secret searched) bool { return secret.isRepeated(plain) }) {
		return withheld
	}
	if read < len(words) {
		shown = strings.ToValidUTF8(shown[:max(0, len(shown)-q.room)], "") + " …"
	}
	return shortened(holes.Replace(shown))
}

// masked returns words with a hole in place of each secret.
func (q quoter) masked(words string) string {
	lower, masked := lowered(words), []byte(words)
	for _, secret := range q.secrets {
		lower = strings.ReplaceAll(lower, secret.lower, secret.hole)
	}
	for i := range lower {
		if lower[i] <= further[0] {
			masked[i] = lower[i]
		}
	}
	return string(masked)
}

var holes = strings.NewReplacer(hole, mask, further, "")

// holeFor returns a hole as long as a text.
func holeFor(text string) string { return hole + strings.Repeat(further, len(text)-1) }

// lowered returns a text in lower case, with each character where it was.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if lower := unicode.ToLower(r); utf8.RuneLen(lower) == utf8.RuneLen(r) {
			return lower
		}
		return r
	}, text)
}

// runsOf returns everything of a secret in lower case that no notation changes: JSON, HTML, addresses and the languages
// of programs all write the letters and digits of ASCII as they are. It returns nil for a few of them, which can be a
// common word.
func runsOf(lower string) []string {
	runs := plainIn(lower)
	if len(strings.Join(runs, "")) < leastRepeated {
		return nil
	}
	return runs
}

// isRepeated reports whether the letters and digits of a text have all runs of the secret. What stands between them may
// cut a run, as the ends of lines do.
func (s searched) isRepeated(plain string) bool {
	isMissing := func(run string) bool { return !strings.Contains(plain, run) }
	return len(s.runs) > 0 && !slices.ContainsFunc(s.runs, isMissing)
}

// plainIn returns the runs of letters and digits of ASCII in a text in lower case.
func plainIn(lower string) []string {
	return strings.FieldsFunc(lower, func(r rune) bool { return !isPlain(r) })
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
