package jsonobject

import (
	"cmp"
	"slices"
	"sort"
)

// finish makes the Object of what has been read.
func (p *parser) finish() Object {
	object := Object{raw: p.text, members: make([]member, len(p.open))}
	if len(p.disordered) == 0 {
		for i, m := range p.open {
			object.members[i] = member{m.key, m.value, m.end}
		}
		object.canonical = p.share(p.out)
		return object
	}

	slices.SortFunc(p.disordered, func(a, b disorder) int { return cmp.Compare(a.start, b.start) })
	canonical := make([]byte, 0, len(p.out))
	canonical = append(canonical, '{')
	for i, m := range p.open {
		if i > 0 {
			canonical = append(canonical, ',')
		}
		value := len(canonical) + m.value - m.start
		canonical = p.arrange(canonical, m.span)
		object.members[i] = member{m.key, value, len(canonical)}
	}
	canonical = append(canonical, '}')
	object.canonical = p.share(canonical)
	return object
}

// share returns the canonical text, and does not keep it twice if the text was written canonically to begin with, as
// everything is that comes from jsonencode.
func (p *parser) share(canonical []byte) string {
	if string(canonical) == p.text {
		return p.text
	}
	return string(canonical)
}

// arrange appends out[s.start:s.end] to dst, with the members of every object in it in order.
func (p *parser) arrange(dst []byte, s span) []byte {
	at := s.start
	for {
		// Objects nest, so whichever begins next inside of s also ends inside of s.
		i := sort.Search(len(p.disordered), func(i int) bool { return p.disordered[i].start >= at })
		if i == len(p.disordered) || p.disordered[i].start >= s.end {
			return append(dst, p.out[at:s.end]...)
		}
		d := p.disordered[i]
		dst = append(dst, p.out[at:d.start]...)
		dst = append(dst, '{')
		for j, m := range p.arranged[d.first : d.first+d.count] {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = p.arrange(dst, m)
		}
		dst = append(dst, '}')
		at = d.end
	}
}
