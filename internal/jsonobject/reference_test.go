package jsonobject

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
)

// tree is a JSON value as encoding/json reads it: an implementation to measure this package's against.
type tree struct {
	token    any // nil, bool, string or json.Number; '[' or '{' as json.Delim
	keys     []string
	children []*tree
}

func readTree(t *testing.T, text string) *tree {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var read func() *tree
	read = func() *tree {
		token, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		node := &tree{token: token}
		if _, ok := token.(json.Delim); !ok {
			return node
		}
		for decoder.More() {
			if token == json.Delim('{') {
				key, err := decoder.Token()
				if err != nil {
					t.Fatal(err)
				}
				node.keys = append(node.keys, key.(string))
			}
			node.children = append(node.children, read())
		}
		if _, err := decoder.Token(); err != nil {
			t.Fatal(err)
		}
		return node
	}
	return read()
}

// referenceString writes a string as encoding/json does, but for strings with combining marks: what becomes of those is
// this package's own invention, see Canonical.
func referenceString(s string) string {
	if strings.ContainsFunc(s, unicode.IsMark) {
		text := []byte{'"'}
		melting := false
		for _, r := range s {
			text, melting = appendChar(text, r, melting)
		}
		return string(append(text, '"'))
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// reference writes a value as Terraform's jsonencode does, and false if that is not to be had: of numbers jsonencode keeps
// 512 bits only.
func reference(node *tree) (string, bool) {
	ok := true
	var write func(dst []byte, node *tree) []byte
	write = func(dst []byte, node *tree) []byte {
		switch token := node.token.(type) {
		case nil:
			return append(dst, "null"...)
		case bool:
			return strconv.AppendBool(dst, token)
		case string:
			return append(dst, referenceString(token)...)
		case json.Number:
			if len(token) > 150 {
				ok = false
			}
			number, _, err := big.ParseFloat(token.String(), 10, 512, big.ToNearestEven)
			if err != nil {
				panic(err)
			}
			if number.Sign() == 0 {
				return append(dst, '0')
			}
			return number.Append(dst, 'f', -1)
		}
		indexes := make([]int, len(node.children))
		for i := range indexes {
			indexes[i] = i
		}
		opening, closing := byte('['), byte(']')
		if node.token == json.Delim('{') {
			opening, closing = '{', '}'
			slices.SortFunc(indexes, func(a, b int) int { return strings.Compare(node.keys[a], node.keys[b]) })
		}
		dst = append(dst, opening)
		for n, i := range indexes {
			if n > 0 {
				dst = append(dst, ',')
			}
			if opening == '{' {
				dst = append(dst, referenceString(node.keys[i])...)
				dst = append(dst, ':')
			}
			dst = write(dst, node.children[i])
		}
		return append(dst, closing)
	}
	return string(write(nil, node)), ok
}

// rewrite writes the same value in another way: other white space, order, escapes and spellings of numbers.
func rewrite(random *rand.Rand, node *tree) string {
	var b strings.Builder
	space := func() {
		for random.IntN(3) == 0 {
			b.WriteByte(" \t\r\n"[random.IntN(4)])
		}
	}
	var write func(node *tree)
	write = func(node *tree) {
		space()
		defer space()
		switch token := node.token.(type) {
		case nil:
			b.WriteString("null")
		case bool:
			b.WriteString(strconv.FormatBool(token))
		case string:
			b.WriteString(respellString(random, token))
		case json.Number:
			b.WriteString(respellNumber(random, token.String()))
		case json.Delim:
			indexes := make([]int, len(node.children))
			for i := range indexes {
				indexes[i] = i
			}
			if token == '{' {
				random.Shuffle(len(indexes), func(i, j int) { indexes[i], indexes[j] = indexes[j], indexes[i] })
			}
			b.WriteRune(rune(token))
			for n, i := range indexes {
				if n > 0 {
					b.WriteByte(',')
				}
				if token == '{' {
					space()
					b.WriteString(respellString(random, node.keys[i]))
					space()
					b.WriteByte(':')
				}
				write(node.children[i])
			}
			space()
			b.WriteRune(rune(token) + 2)
		}
	}
	write(node)
	return b.String()
}

func respellString(random *rand.Rand, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '/' && random.IntN(2) == 0:
			b.WriteString(`\/`)
		case r < ' ' || r == '"' || r == '\\' || random.IntN(3) == 0:
			form := []string{`\u%04x`, `\u%04X`}[random.IntN(2)]
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, form, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// respellNumber moves the decimal point and lets the exponent make up for it.
func respellNumber(random *rand.Rand, number string) string {
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(number), "e")
	exponent, _ := strconv.Atoi(exponentText)
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	integer, fraction, _ := strings.Cut(mantissa, ".")

	digits := integer + fraction + strings.Repeat("0", random.IntN(4))
	point := len(integer)
	moved := random.IntN(len(digits)) + 1
	if shifted := exponent + point - moved; shifted >= -MaxExponent && shifted <= MaxExponent {
		exponent, point = shifted, moved
	}
	integer, fraction = strings.TrimLeft(digits[:point], "0"), digits[point:]
	if integer == "" {
		integer = "0"
	}
	if strings.Trim(digits, "0") == "" {
		negative = random.IntN(2) == 0
	}
	spelled := integer
	if negative {
		spelled = "-" + spelled
	}
	if fraction != "" {
		spelled += "." + fraction
	}
	if exponent != 0 || random.IntN(3) == 0 {
		spelled += []string{"e", "E"}[random.IntN(2)]
		if exponent < 0 {
			spelled += "-"
		} else if random.IntN(2) == 0 {
			spelled += "+"
		}
		spelled += strings.Repeat("0", random.IntN(3)) + strconv.Itoa(max(exponent, -exponent))
	}
	return spelled
}

// mutate changes one value, somewhere in the tree, to another one.
func mutate(random *rand.Rand, root *tree) {
	var all []*tree
	var collect func(node *tree)
	collect = func(node *tree) {
		all = append(all, node)
		for _, child := range node.children {
			collect(child)
		}
	}
	collect(root)

	node := all[random.IntN(len(all))]
	switch token := node.token.(type) {
	case nil:
		node.token = false
	case bool:
		node.token = !token
	case string:
		node.token = token + "0"
	case json.Number:
		mantissa, exponent, cut := strings.Cut(strings.ToLower(token.String()), "e")
		if !strings.Contains(mantissa, ".") {
			mantissa += "."
		}
		mantissa += "1"
		if cut {
			mantissa += "e" + exponent
		}
		node.token = json.Number(mantissa)
	case json.Delim:
		last := len(node.children) - 1
		switch {
		case last >= 0 && random.IntN(2) == 0:
			node.children = node.children[:last]
			if token == '{' {
				node.keys = node.keys[:last]
			}
		case token == '{':
			key := "new"
			for slices.Contains(node.keys, key) {
				key += "r"
			}
			node.keys = append(node.keys, key)
			fallthrough
		default:
			node.children = append(node.children, &tree{})
		}
	}
}
