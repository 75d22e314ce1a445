package jsonobject

import (
	"bytes"
)

// decimal is a number as it stands in the text, cut in pieces.
type decimal struct {
	negative          bool
	integer, fraction string // digits
	exponent          int    // beyond ±MaxExponent it is only known to be beyond
}

// number reads the number at the current position and writes it in plain decimal notation.
func (p *parser) number() *Error {
	start := p.pos
	d, fault := p.scanNumber()
	if fault != nil {
		return fault
	}
	if d.exponent < -MaxExponent || d.exponent > MaxExponent {
		return p.fault(KindExponent, start)
	}
	p.expansion += max(d.exponent, -d.exponent)
	if p.expansion > MaxExpansion {
		return p.fault(KindExponent, start)
	}
	p.out, p.scratch = d.appendPlain(p.out, p.scratch[:0])
	return nil
}

// scanNumber reads the number at the current position.
func (p *parser) scanNumber() (decimal, *Error) {
	var d decimal
	if p.text[p.pos] == '-' {
		d.negative = true
		p.pos++
	}
	if p.pos < len(p.text) && p.text[p.pos] == '0' {
		d.integer = "0"
		p.pos++
	} else if d.integer = p.digits(); d.integer == "" {
		return d, p.unexpected()
	}
	if p.pos < len(p.text) && p.text[p.pos] == '.' {
		p.pos++
		if d.fraction = p.digits(); d.fraction == "" {
			return d, p.unexpected()
		}
	}
	if p.pos < len(p.text) && (p.text[p.pos] == 'e' || p.text[p.pos] == 'E') {
		p.pos++
		sign := 1
		if p.pos < len(p.text) && (p.text[p.pos] == '+' || p.text[p.pos] == '-') {
			if p.text[p.pos] == '-' {
				sign = -1
			}
			p.pos++
		}
		exponent := p.digits()
		if exponent == "" {
			return d, p.unexpected()
		}
		for i := range len(exponent) {
			// Leading zeros count for nothing, and what is beyond the bound is not worth knowing exactly.
			d.exponent = min(10*d.exponent+int(exponent[i]-'0'), MaxExponent+1)
		}
		d.exponent *= sign
	}
	return d, nil
}

func (p *parser) digits() string {
	start := p.pos
	for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

// appendPlain appends d to dst without an exponent and without a superfluous zero. scratch is room to work in; it is
// returned for the next number to use.
func (d decimal) appendPlain(dst, scratch []byte) (written, room []byte) {
	if d.fraction == "" && d.exponent == 0 {
		if d.negative && d.integer != "0" {
			dst = append(dst, '-')
		}
		return append(dst, d.integer...), scratch
	}

	room = append(append(scratch, d.integer...), d.fraction...)
	digits := bytes.TrimLeft(room, "0")
	// The number is 0.digits, the point moved to the right by point.
	point := len(d.integer) + d.exponent - (len(room) - len(digits))
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return append(dst, '0'), room
	}
	if d.negative {
		dst = append(dst, '-')
	}
	switch {
	case point <= 0:
		dst = append(dst, "0."...)
		dst = appendZeros(dst, -point)
		dst = append(dst, digits...)
	case point >= len(digits):
		dst = append(dst, digits...)
		dst = appendZeros(dst, point-len(digits))
	default:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		dst = append(dst, digits[point:]...)
	}
	return dst, room
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
