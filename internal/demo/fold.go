package main

import (
	"bytes"
	"regexp"
)

// keep is how many resources and how many progress lines of a kind are shown of one command.
const keep = 3

var (
	colours  = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	resource = regexp.MustCompile(`^  # embed_user_group\.\S+ (will be [a-z -]+)`)
	progress = regexp.MustCompile(`^embed_user_group\.\S+: (Refreshing|Creating|Creation|Destroying|Destruction)`)
	isBlank  = regexp.MustCompile(`^\s*$`)
)

// fold passes an engine's output on to the screen as it comes, and leaves out what says the same of one group after
// another. It says how much it has left out.
type fold struct {
	screen *screen
	// rest is the beginning of a line.
	rest []byte
	seen map[string]int
	// within a resource of a plan, which is hidden or not.
	within, hidden           bool
	hiddenGroups, hiddenSame int
}

func (f *fold) Write(text []byte) (int, error) {
	f.rest = append(f.rest, text...)
	for {
		end := bytes.IndexByte(f.rest, '\n')
		if end < 0 {
			return len(text), nil
		}
		if err := f.line(f.rest[:end+1]); err != nil {
			return 0, err
		}
		f.rest = f.rest[end+1:]
	}
}

// Close passes on what is left of the last line.
func (f *fold) Close() error {
	f.within = false
	f.tell()
	_, err := f.screen.Write(f.rest)
	f.rest = nil
	return err
}

func (f *fold) line(line []byte) error {
	plain := colours.ReplaceAll(line, nil)
	hide := false
	if f.within {
		hide = f.hidden
		f.within = !isBlank.Match(plain)
	} else if found := resource.FindSubmatch(plain); found != nil {
		f.within = true
		f.hidden = f.another(found[1])
		hide = f.hidden
		if hide {
			f.hiddenGroups++
		}
	} else if found := progress.FindSubmatch(plain); found != nil {
		if hide = f.another(found[1]); hide {
			f.hiddenSame++
		}
	} else {
		f.tell()
	}
	if hide {
		f.screen.remember(line)
		return nil
	}
	_, err := f.screen.Write(line)
	return err
}

// another counts one more of a kind and reports whether there have been enough.
func (f *fold) another(kind []byte) bool {
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	f.seen[string(kind)]++
	return f.seen[string(kind)] > keep
}

func (f *fold) tell() {
	if f.hiddenGroups > 0 {
		f.screen.say("  # … and %s like these\n", plural(f.hiddenGroups, "more group", "more groups"))
	}
	if f.hiddenSame > 0 {
		f.screen.say("… and %s like these", plural(f.hiddenSame, "more line", "more lines"))
	}
	f.hiddenGroups, f.hiddenSame = 0, 0
}
