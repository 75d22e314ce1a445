// Command terminal draws the output of a program as a picture of a terminal, for light and dark mode:
//
//	make -s demo | go run ./tools/terminal -title "make demo" >docs/images/demo.svg
//
// Long lines are wrapped.
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"io"
	"log"
	"os"
	"strings"
	"text/template"
	"unicode/utf8"
)

//go:embed terminal.svg.tmpl
var picture string

const columns = 96

type terminal struct {
	Title string
	Lines []line
}

// line is a line of the terminal. Kind is a class in the picture's style sheet.
type line struct{ Text, Kind string }

// Each row is 18 high, each column is 7.8 wide, and the bar above the rows is 40 high.
func (terminal) Width() int    { return columns*78/10 + 32 }
func (t terminal) Height() int { return len(t.Lines)*18 + 56 }
func (terminal) Y(row int) int { return row*18 + 56 }

func main() {
	title := flag.String("title", "", "title of the picture: the command that was run")
	flag.Parse()
	log.SetFlags(0)
	shown, err := read(os.Stdin)
	if err == nil {
		err = template.Must(template.New("").Parse(picture)).Execute(os.Stdout, terminal{*title, shown})
	}
	if err != nil {
		log.Fatal("terminal: ", err)
	}
}

func read(from io.Reader) ([]line, error) {
	var lines []line
	text := bufio.NewScanner(from)
	for text.Scan() {
		plain := strings.TrimRight(text.Text(), " \t\r")
		for _, part := range wrap(plain) {
			lines = append(lines, line{template.HTMLEscapeString(part), kind(plain)})
		}
	}
	return lines, text.Err()
}

// wrap breaks a line between words. The parts after the first one are indented by six columns.
func wrap(text string) (parts []string) {
	for utf8.RuneCountInString(text) > columns {
		head := string([]rune(text)[:columns])
		end := strings.LastIndex(head, " ")
		if strings.TrimSpace(head[:max(end, 0)]) == "" {
			break // There is nothing to break at.
		}
		parts, text = append(parts, text[:end]), "      "+text[end+1:]
	}
	return append(parts, text)
}

// kind returns the kind of a line. It looks at how the line begins, because output to a pipe has no colors.
func kind(text string) string {
	switch first, _ := utf8.DecodeRuneInString(strings.TrimSpace(text)); first {
	case '✓', '+':
		return "good"
	case '~':
		return "change"
	default:
		return "plain"
	}
}
