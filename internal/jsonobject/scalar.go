package jsonobject

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// plain says of each byte whether it stands for itself in a string, in the text and in the canonical text alike.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = true
	}
	for _, c := range `"\<>&` {
		table[c] = false
	}
	return table
}()

// str reads the string at the current position and writes it canonically. It returns the string, unescaped, if it is
// wanted: keys are, values are not.
func (p *parser) str(wanted bool) (string, *Error) {
	p.pos++
	p.out = append(p.out, '"')
	start := p.pos
	escaped := false // whether the text has an escape, so that the string has to be assembled
	melting := false // whether a combining mark would now follow an escape sequence
	p.scratch = p.scratch[:0]
	for {
		run := p.pos
		for p.pos < len(p.text) && plain[p.text[p.pos]] {
			p.pos++
		}
		if run < p.pos {
			p.out = append(p.out, p.text[run:p.pos]...)
			if escaped && wanted {
				p.scratch = append(p.scratch, p.text[run:p.pos]...)
			}
			melting = false
		}
		if p.pos == len(p.text) {
			return "", p.fault(KindUnexpectedEnd, p.pos)
		}
		if p.text[p.pos] == '"' {
			break
		}
		if wanted && !escaped && p.text[p.pos] == '\\' {
			escaped = true
			p.scratch = append(p.scratch, p.text[start:p.pos]...)
		}
		r, fault := p.char()
		if fault != nil {
			return "", fault
		}
		p.out, melting = appendChar(p.out, r, melting)
		if escaped {
			p.scratch = utf8.AppendRune(p.scratch, r)
		}
	}
	end := p.pos
	p.pos++
	p.out = append(p.out, '"')
	if !wanted {
		return "", nil
	}
	if escaped {
		return string(p.scratch), nil
	}
	return p.text[start:end], nil
}

// char reads one character of a string, escaped or not.
func (p *parser) char() (rune, *Error) {
	switch c := p.text[p.pos]; {
	case c == '\\':
		return p.escape()
	case c < ' ':
		return 0, p.fault(KindSyntax, p.pos)
	case c < utf8.RuneSelf:
		p.pos++
		return rune(c), nil
	}
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	if r == utf8.RuneError && size == 1 {
		return 0, p.fault(KindUTF8, p.pos)
	}
	p.pos += size
	return r, nil
}

func (p *parser) escape() (rune, *Error) {
	start := p.pos
	p.pos++
	if p.pos == len(p.text) {
		return 0, p.unexpected()
	}
	c := p.text[p.pos]
	if c == 'u' {
		r, fault := p.hex()
		if fault != nil || !utf16.IsSurrogate(r) {
			return r, fault
		}
		if p.pos+1 < len(p.text) && p.text[p.pos] == '\\' && p.text[p.pos+1] == 'u' {
			p.pos++
			second, fault := p.hex()
			if fault != nil {
				return 0, fault
			}
			if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
				return pair, nil
			}
		}
		return 0, p.fault(KindSurrogate, start)
	}
	var r rune
	switch c {
	case '"', '\\', '/':
		r = rune(c)
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 't':
		r = '\t'
	default:
		return 0, p.unexpected()
	}
	p.pos++
	return r, nil
}

// hex reads the rest of a \u escape, from the u on.
func (p *parser) hex() (rune, *Error) {
	p.pos++
	var r rune
	for range 4 {
		if p.pos == len(p.text) {
			return 0, p.unexpected()
		}
		c := p.text[p.pos]
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, p.unexpected()
		}
		r = r<<4 | rune(c)
		p.pos++
	}
	return r, nil
}

// appendChar writes one character of a string as encoding/json does. It also returns whether a combining mark that came
// next would melt into an escape sequence; melting is what it returned for the character before. Marks after such a mark
// are escaped too, since normalization may change the order of marks.
func appendChar(dst []byte, r rune, melting bool) ([]byte, bool) {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r)), true
	case '\b':
		return append(dst, `\b`...), true
	case '\f':
		return append(dst, `\f`...), true
	case '\n':
		return append(dst, `\n`...), true
	case '\r':
		return append(dst, `\r`...), true
	case '\t':
		return append(dst, `\t`...), true
	case '<', '>', '&', '\u2028', '\u2029':
		return appendHex(dst, r), true
	}
	if r < ' ' || melting && unicode.IsMark(r) {
		return appendHex(dst, r), true
	}
	return utf8.AppendRune(dst, r), false
}

func appendHex(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		return appendHex(appendHex(dst, high), low)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&0xF], digits[r>>8&0xF], digits[r>>4&0xF], digits[r&0xF])
}
