package api

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// folded is a text in a form in which all encodings of it are alike.
type folded struct {
	text string
	at   []span // where each byte of the text is in the original, or nil if it is at the same place
}

// foldedText returns the text alone, without spaces around it.
func foldedText(text string) string { return strings.TrimSpace(fold(text).text) }

func (f folded) original(i int) span {
	if f.at == nil {
		return span{i, i + 1}
	}
	return f.at[i]
}

// span is a part of a text.
type span struct{ begin, end int }

// escape matches one escaped character: in HTML, in a string of many languages, or in an address. What was escaped
// several times repeats amp;, backslashes or 25.
var escape = regexp.MustCompile(ampersand + `(?:amp` + semicolon + `)*(#?\w{1,31})` + semicolon +
	`|` + backslashes + `(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([^\s%&\\]))|%(?:25)*([0-9a-fA-F]{2})`)

const (
	ampersand   = `(?:&|\\+u0026|%(?:25)*26)`
	semicolon   = `(?:;|%(?:25)*3[bB])`
	backslashes = `(?:\\|%(?:25)*5[cC])+`
)

// plainWords matches most texts in which fold changes only the case.
var plainWords = regexp.MustCompile(`^(?:[\w-]| \b)*$`)

// fold decodes the escaped characters of a text. Case, line ends, the number of spaces, quotes and backslashes do not
// matter either, because services change these. A plus sign is a space in a query. Characters beyond the first 65,536
// are all alike, because some services write them as two.
func fold(text string) folded {
	if plainWords.MatchString(text) {
		return folded{text: strings.ToLower(text)}
	}
	f := folder{make([]byte, 0, len(text)), make([]span, 0, len(text))}
	last := 0
	for _, found := range escape.FindAllStringSubmatchIndex(text, -1) {
		f.literal(text[last:found[0]], last)
		for _, decoded := range []byte(unescaped(text, found)) {
			f.add(decoded, span{found[0], found[1]})
		}
		last = found[1]
	}
	f.literal(text[last:], last)
	return f.folded()
}

// unescaped returns the bytes that a match of escape stands for.
func unescaped(text string, found []int) string {
	group := func(n int) string { return text[max(found[2*n], 0):max(found[2*n+1], 0)] }
	entity, character, letter, byteOf := group(1), group(3), group(4), group(2)+group(5)
	switch {
	case entity != "":
		return html.UnescapeString("&" + entity + ";")
	case byteOf != "":
		code, _ := strconv.ParseUint(byteOf, 16, 8)
		return string([]byte{byte(code)})
	case character != "":
		code, _ := strconv.ParseUint(character, 16, 16)
		return string(rune(code))
	case strings.Contains("nrtbfv", letter):
		return " "
	default:
		return letter
	}
}

// folder collects the decoded bytes of a text, and where they are in it.
type folder struct {
	decoded []byte
	at      []span
}

func (f *folder) literal(text string, at int) {
	for i := range len(text) {
		f.add(text[i], span{at + i, at + i + 1})
	}
}

func (f *folder) add(decoded byte, at span) {
	f.decoded, f.at = append(f.decoded, decoded), append(f.at, at)
}

func (f *folder) folded() (result folded) {
	text := make([]byte, 0, len(f.decoded))
	last := rune(0)
	for i := 0; i < len(f.decoded); {
		character, size := utf8.DecodeRune(f.decoded[i:])
		at := span{f.at[i].begin, f.at[i+size-1].end}
		i += size
		character = alike(character)
		isRepeated := character == last && (character == ' ' || character == unknown)
		if character == ignored || isRepeated {
			continue
		}
		last = character
		text = utf8.AppendRune(text, character)
		for len(result.at) < len(text) {
			result.at = append(result.at, at)
		}
	}
	result.text = string(text)
	return result
}

const (
	ignored rune = -1
	unknown rune = utf8.RuneError
)

// alike returns the character in place of which a service may write another one, or leave it out.
func alike(character rune) rune {
	switch {
	case strings.ContainsRune("\\\"'`", character):
		return ignored
	case character > 0xFFFF:
		return unknown
	case character == '+' || unicode.IsSpace(character):
		return ' '
	default:
		return unicode.ToLower(character)
	}
}
