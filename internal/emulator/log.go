package emulator

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const longestWord = 120

func (e *Emulator) log(call Call) {
	if e.options.Log == nil {
		return
	}
	line := call.logLine(time.Since(call.At))
	e.logging.Lock()
	defer e.logging.Unlock()
	e.options.Log(line)
}

func (c Call) logLine(took time.Duration) string {
	status := "cut"
	if c.Status != 0 {
		status = strconv.Itoa(c.Status)
	}
	words := []string{logWord(c.Method), logWord(cmp.Or(c.ID, "-")), status}
	for _, done := range []struct {
		really bool
		effect effect
	}{{c.Created, created}, {c.Updated, updated}, {c.Rotated, rotated}, {c.Deleted, deleted}} {
		if done.really {
			words = append(words, string(done.effect))
		}
	}
	if c.Refused != "" {
		words = append(words, "refused", strconv.Quote(shorten(c.Refused)))
	}
	if c.Fault != "" {
		words = append(words, c.Fault)
	}
	words = append(words, fmt.Sprintf("%.1fms", float64(took.Microseconds())/1000))
	return strings.Join(words, " ")
}

// logWord keeps what a caller chose from forging a line or steering a terminal.
func logWord(s string) string {
	s = shorten(s)
	plain := func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '"' && r != unicode.ReplacementChar
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return strconv.Quote(s)
}

func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= longestWord {
		return s
	}
	return string(runes[:longestWord]) + "…"
}
