// Command terminal draws what a program printed as the picture of a terminal, in light and in dark:
//
//	make demo | go run ./tools/terminal -title "make demo" >docs/images/demo.svg
//
// The text is not changed, but anything longer or wider than the picture is cut off, with an ellipsis in its place.
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
)

//go:embed terminal.svg.tmpl
var picture string

const columns, rows = 96, 48

type terminal struct {
	Title string
	Lines []line
}

// line is one of the terminal. Kind is a class of the picture's style sheet.
type line struct{ Text, Kind string }

// Each row is 18 high and each column 7.8 wide, below a bar of 40.
func (terminal) Width() int    { return columns*78/10 + 32 }
func (t terminal) Height() int { return len(t.Lines)*18 + 56 }
func (terminal) Y(row int) int { return row*18 + 56 }

func main() {
	title := flag.String("title", "", "what was run")
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
		plain := []rune(strings.TrimRight(text.Text(), " \t\r"))
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
