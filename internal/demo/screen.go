package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

const (
	bold  = "1"
	red   = "1;31"
	green = "32"
)

// screen is what the viewer sees, and remembers all of it, what was folded included. It is used by one goroutine at a
// time: while an engine runs, only its output is written.
type screen struct {
	out     io.Writer
	colour  bool
	printed bytes.Buffer
}

// Write shows text.
func (s *screen) Write(text []byte) (int, error) {
	s.remember(text)
	return s.out.Write(text)
}

// remember takes note of text that might have been shown.
func (s *screen) remember(text []byte) { s.printed.Write(text) }

// say prints a line of the demo's own. A viewer who has gone ends the demo by SIGPIPE, so there is no error to handle.
func (s *screen) say(format string, args ...any) { _, _ = fmt.Fprintf(s, format+"\n", args...) }

// paragraph leaves a blank line, unless there is one.
func (s *screen) paragraph() {
	if !bytes.HasSuffix(s.printed.Bytes(), []byte("\n\n")) {
		s.say("")
	}
}

func (s *screen) title(number, of int, text string) {
	s.say("\n\n%s\n", s.painted(bold, fmt.Sprintf("━━━ %d of %d: %s ", number, of, text)+strings.Repeat("━", max(3, 66-len(text)))))
}

func (s *screen) command(name string, args []string) {
	words := []string{"$", name}
	for _, word := range args {
		if strings.ContainsAny(word, `"[' `) {
			word = "'" + word + "'"
		}
		words = append(words, word)
	}
	s.paragraph()
	s.say("%s", s.painted(bold, strings.Join(words, " ")))
}

func (s *screen) edited(lines []string) {
	s.paragraph()
	s.say("%s", s.painted(bold, "customers.yaml"))
	for _, line := range lines {
		switch line[0] {
		case '-':
			line = s.painted("31", line)
		case '+':
			line = s.painted(green, line)
		}
		s.say("  %s", line)
	}
	s.paragraph()
}

func (s *screen) good(text string) { s.say("%s %s", s.painted(green, "✓"), text) }

func (s *screen) bad(text string) { s.say("%s", s.painted(red, "✗ FAILED: "+text)) }

func (s *screen) table(rows []string) {
	s.say("\n\n%s\n", s.painted(bold, "What the service was asked for"))
	for _, row := range rows {
		s.say("  %s", row)
	}
}

func (s *screen) painted(style, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// decoration is what an engine puts into a word that it colours, wraps or frames.
var decoration = regexp.MustCompile(`\x1b\[[0-9;]*m|[\s│╷╵]+`)

// showed reports whether the text was printed, be it wrapped or coloured. White space does not count.
func (s *screen) showed(text string) bool {
	return bytes.Contains(decoration.ReplaceAll(s.printed.Bytes(), nil), decoration.ReplaceAll([]byte(text), nil))
}
