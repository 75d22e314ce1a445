package jsonobject

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// sample returns an object of n members, as jsonencode writes it and as a service that keeps no order might.
func sample(n int) (canonical, shuffled string) {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"attribute_%04d":{"limit":%d,"name":"Ada & Co","rate":0.25,"tags":["a","b",null,true]}`, i, i)
	}
	canonical = strings.ReplaceAll("{"+strings.Join(members, ",")+"}", "&", `\\u0026`)
	for i := range members {
		j := (i*7 + 3) % n
		members[i], members[j] = members[j], members[i]
	}
	shuffled = strings.ReplaceAll("{\n  "+strings.Join(members, ",\n  ")+"\n}", "0.25", "25e-2")
	return strings.ReplaceAll(canonical, `\\`, `\`), shuffled
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 1000} {
		canonical, shuffled := sample(n)
		for name, text := range map[string]string{"canonical": canonical, "shuffled": shuffled} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					mustParse(b, text)
				}
			})
		}
	}
}

func BenchmarkEqual(b *testing.B) {
	for _, n := range []int{10, 1000} {
		canonical, shuffled := sample(n)
		x, y := mustParse(b, canonical), mustParse(b, shuffled)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !Equal(x, y) {
					b.Fatal("not equal")
				}
			}
		})
	}
}

func BenchmarkContradictions(b *testing.B) {
	for _, n := range []int{10, 1000} {
		canonical, shuffled := sample(n)
		x, y := mustParse(b, canonical), mustParse(b, shuffled)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Contradictions(x, y)
			}
		})
	}
}

// hostile returns texts of about size bytes that are the worst for one part of the parser or another.
func hostile(size int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	reversed := func(format string, width int) string {
		var b strings.Builder
		for i := size / width; i > 0; i-- {
			fmt.Fprintf(&b, format+",", i)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	const inner = MaxDepth - 1
	return map[string]string{
		"digits":            `{"a":` + repeat("9") + `}`,
		"zeros":             `{"a":0.` + repeat("0") + `1e-1000}`,
		"exponent digits":   `{"a":1e-` + repeat("0") + `1}`,
		"exponents":         `{"a":[` + repeat("1e3,") + `1]}`,
		"small numbers":     `{"a":[` + repeat("1,") + `1]}`,
		"long string":       `{"a":"` + repeat("a") + `"}`,
		"HTML":              `{"a":"` + repeat("<") + `"}`,
		"escapes":           `{"a":"` + repeat(`\u0041`) + `"}`,
		"marks":             `{"a":"<` + repeat("\u0301") + `"}`,
		"escaped key":       `{"` + repeat(`\u003c`) + `":1}`,
		"reversed keys":     reversed(`"%07d":1`, 12),
		"long common keys":  reversed(`"`+strings.Repeat("k", 1000)+`%07d":1`, 1012),
		"tiny objects":      `{"a":[` + repeat(`{"b":1,"a":1},`) + `1]}`,
		"empty objects":     `{"a":[` + repeat(`{},`) + `1]}`,
		"nested, unordered": strings.Repeat(`{"b":1,"a":`, inner) + `"` + repeat("x") + `"` + strings.Repeat("}", inner),
		"nested, at the end": strings.Repeat(`{"b":`, inner) + `"` + repeat("x") + `"` +
			strings.Repeat(`,"a":1}`, inner),
		"deep branches": `{"a":[` + repeat(strings.Repeat("[", MaxDepth-2)+strings.Repeat("]", MaxDepth-2)+",") + `1]}`,
	}
}

// The alarm of this test is the time limit of go test itself: anything quadratic takes hours on a MiB.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(1 << 20) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := mustParse(t, text)
			if !Equal(object, mustParse(t, object.Canonical())) {
				t.Error("the canonical text is another object")
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile(4 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				mustParse(b, text)
			}
		})
	}
}
