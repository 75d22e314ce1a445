package jsonobject

import (
	"cmp"
	"slices"
	"strings"
)

// parser reads a text and, in the same pass, writes it canonically but for the order of keys: members are written as
// they come, and every object whose keys were out of order is noted, to be rearranged once all is read. Rearranging on
// the spot would copy the innermost text once for every object around it; so each byte is copied at most once more.
type parser struct {
	text string
	pos  int
	out  []byte

	depth     int
	expansion int

	// open holds the members, read so far, of all objects that are being read, the innermost last.
	open []entry
	// disordered holds the objects to rearrange; their members are in arranged.
	disordered []disorder
	arranged   []span

	scratch []byte
}

// entry is a member of an object that is being read.
type entry struct {
	key   string
	at    int // where the key stands in the text
	value int // where the value begins in out
	span      // where the member, key and all, stands in out
}

type span struct{ start, end int }

// disorder is an object whose members have to be rearranged: the next count of parser.arranged, from first.
type disorder struct {
	span
	first, count int
}

func (p *parser) fault(kind Kind, offset int) *Error { return &Error{Kind: kind, Offset: offset} }

func parse(text string) (Object, *Error) {
	p := parser{text: text}
	p.space()
	if fault := p.begin(); fault != nil {
		return Object{}, fault
	}
	// Canonical text is rarely longer than the text it comes from.
	p.out = make([]byte, 0, len(text)+16)
	if fault := p.object(); fault != nil {
		return Object{}, fault
	}
	p.space()
	if p.pos < len(text) {
		return Object{}, p.fault(KindTrailing, p.pos)
	}
	return p.finish(), nil
}

// begin judges a text by how it starts: what is no object is told apart from what is an object with a fault in it.
func (p *parser) begin() *Error {
	start := p.pos
	rest := strings.TrimRight(p.text[start:], " \t\r\n")
	kind := KindNotJSON
	switch {
	case rest == "":
	case rest[0] == '{':
		return nil
	case rest[0] == '[':
		kind = KindArray
	case rest == "null":
		kind = KindNull
	case rest == "true", rest == "false":
		kind = KindScalar
	case strings.HasPrefix(rest, "\ufeff"):
		kind = KindByteOrderMark
	case rest[0] == '"':
		if _, fault := p.str(false); fault == nil && p.pos == start+len(rest) {
			kind = KindScalar
		}
	case rest[0] == '-' || isDigit(rest[0]):
		if _, fault := p.scanNumber(); fault == nil && p.pos == start+len(rest) {
			kind = KindScalar
		}
	}
	return p.fault(kind, start)
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, and 0 (which JSON allows nowhere) at the end of the text.
func (p *parser) peek() byte {
	p.space()
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// unexpected is the fault of a text that has the wrong character, or none, at the current position.
func (p *parser) unexpected() *Error {
	if p.pos >= len(p.text) {
		return p.fault(KindUnexpectedEnd, len(p.text))
	}
	return p.fault(KindSyntax, p.pos)
}

func (p *parser) value() *Error {
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		_, fault := p.str(false)
		return fault
	case c == '-' || isDigit(c):
		return p.number()
	case c == 't':
		return p.literal("true")
	case c == 'f':
		return p.literal("false")
	case c == 'n':
		return p.literal("null")
	default:
		return p.unexpected()
	}
}

func (p *parser) literal(word string) *Error {
	for i := range len(word) {
		if p.pos == len(p.text) || p.text[p.pos] != word[i] {
			return p.unexpected()
		}
		p.pos++
	}
	p.out = append(p.out, word...)
	return nil
}

// descend steps over the bracket that opens an object or an array.
func (p *parser) descend() *Error {
	if p.depth == MaxDepth {
		return p.fault(KindDepth, p.pos)
	}
	p.depth++
	p.out = append(p.out, p.text[p.pos])
	p.pos++
	return nil
}

// ascend steps over the bracket that closes an object or an array.
func (p *parser) ascend() {
	p.depth--
	p.out = append(p.out, p.text[p.pos])
	p.pos++
}

func (p *parser) array() *Error {
	if fault := p.descend(); fault != nil {
		return fault
	}
	if p.peek() == ']' {
		p.ascend()
		return nil
	}
	for {
		if fault := p.value(); fault != nil {
			return fault
		}
		switch p.peek() {
		case ',':
			p.pos++
			p.out = append(p.out, ',')
		case ']':
			p.ascend()
			return nil
		default:
			return p.unexpected()
		}
	}
}

func (p *parser) object() *Error {
	start, first := len(p.out), len(p.open)
	if fault := p.descend(); fault != nil {
		return fault
	}
	if p.peek() == '}' {
		p.ascend()
		return nil
	}
	ordered := true
	for {
		if fault := p.member(); fault != nil {
			return fault
		}
		if n := len(p.open); n-first > 1 && p.open[n-1].key <= p.open[n-2].key {
			ordered = false
		}
		switch p.peek() {
		case ',':
			p.pos++
			p.out = append(p.out, ',')
		case '}':
			p.ascend()
			return p.close(start, first, ordered)
		default:
			return p.unexpected()
		}
	}
}

func (p *parser) member() *Error {
	if p.peek() != '"' {
		return p.unexpected()
	}
	m := entry{at: p.pos, span: span{start: len(p.out)}}
	key, fault := p.str(true)
	if fault != nil {
		return fault
	}
	if p.peek() != ':' {
		return p.unexpected()
	}
	p.pos++
	p.out = append(p.out, ':')
	m.key, m.value = key, len(p.out)
	if fault := p.value(); fault != nil {
		return fault
	}
	m.end = len(p.out)
	p.open = append(p.open, m)
	return nil
}

// close ends the object whose members are open[first:] and whose text in out begins at start.
func (p *parser) close(start, first int, ordered bool) *Error {
	members := p.open[first:]
	if !ordered {
		slices.SortFunc(members, func(a, b entry) int {
			return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
		})
		if fault := p.duplicate(members); fault != nil {
			return fault
		}
		p.disordered = append(p.disordered, disorder{span{start, len(p.out)}, len(p.arranged), len(members)})
		for _, m := range members {
			p.arranged = append(p.arranged, m.span)
		}
	}
	// The members of the outermost object become the Object's own: finish takes them from here.
	if p.depth > 0 {
		p.open = p.open[:first]
	}
	return nil
}

// duplicate finds, among sorted members, the first key in the text that repeats an earlier one.
func (p *parser) duplicate(members []entry) *Error {
	found := -1
	for i := 1; i < len(members); i++ {
		if members[i].key == members[i-1].key && (found < 0 || members[i].at < found) {
			found = members[i].at
		}
	}
	if found < 0 {
		return nil
	}
	return p.fault(KindDuplicateKey, found)
}
