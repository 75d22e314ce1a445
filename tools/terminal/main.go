// Command terminal draws what a program printed as the picture of a terminal, in light and in dark:
//
//	make demo | go run ./tools/terminal -title "make demo" >docs/images/demo.svg
//
// The text is not changed, save that what is longer or wider than the picture is cut, with an ellipsis in its place.
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"text/template"
)

//go:embed terminal.svg.tmpl
var picture string

type terminal struct {
	Title   string
	Columns int
	Lines   []line
}

// line is one of the terminal. Kind is a class of the picture's style sheet.
type line struct{ Text, Kind string }

// Each row is 18 high and each column 7.8 wide, below a bar of 40.
func (t terminal) Width() int  { return t.Columns*78/10 + 32 }
func (t terminal) Height() int { return len(t.Lines)*18 + 56 }
func (terminal) Y(row int) int { return row*18 + 56 }

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func main() {
	title := flag.String("title", "", "what was run")
	columns := flag.Int("columns", 96, "width of the terminal")
	rows := flag.Int("rows", 48, "most lines that are shown")
	flag.Parse()
	log.SetFlags(0)
	shown, err := read(os.Stdin, *columns, *rows)
	if err == nil {
		err = template.Must(template.New("").Parse(picture)).Execute(os.Stdout, terminal{*title, *columns, shown})
	}
	if err != nil {
		log.Fatal("terminal: ", err)
	}
}

func read(from io.Reader, columns, rows int) ([]line, error) {
	var lines []line
	text := bufio.NewScanner(from)
	for text.Scan() {
		plain := []rune(strings.TrimRight(escapes.ReplaceAllString(text.Text(), ""), " \t\r"))
		if len(lines) == rows {
			lines[rows-1] = line{"…", "quiet"}
			break
		}
		if len(plain) > columns {
			plain = append(plain[:columns-1], '…')
		}
		lines = append(lines, line{template.HTMLEscapeString(string(plain)), kind(string(plain))})
	}
	return lines, text.Err()
}

// kind is told by how a line begins, since what goes into a pipe has no colors.
func kind(text string) string {
	trimmed := strings.TrimSpace(text)
	for _, known := range []struct{ begin, kind string }{
		{"$ ", "command"}, {"✓", "good"}, {"+ ", "good"}, {"~ ", "change"}, {"Error", "bad"}, {"━", "quiet"},
	} {
		if strings.HasPrefix(trimmed, known.begin) {
			return known.kind
		}
	}
	return "plain"
}
