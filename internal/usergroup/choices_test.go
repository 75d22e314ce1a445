package usergroup_test

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

var replayed = flag.String("replay", "", "the one path to play, as a search prints it")

// record is what happened on a path, and which rules that breaks.
type record struct {
	events []func() string // their texts are built only when they are printed
	broken []string
	// repeats reports whether the path was given up because it only repeats another one.
	repeats bool
}

func (r *record) tell(format string, args ...any) {
	r.events = append(r.events, func() string { return fmt.Sprintf(format, args...) })
}

func (r *record) breaks(format string, args ...any) {
	r.broken = append(r.broken, "  "+fmt.Sprintf(format, args...))
}

func (r *record) story() string {
	var story []string
	for _, event := range r.events {
		story = append(story, event())
	}
	return strings.Join(story, "\n  ")
}

// search plays every path through a scene, and reports those that break a rule, the first ones with the flag that
// replays them.
func search(t *testing.T, scene string, budget int, play func(*choices) *record) {
	t.Helper()
	if *replayed != "" {
		replay(t, scene, play)
		return
	}
	var failed []string
	count := 0
	c := choices{budget: budget}
	for more := true; more; more = c.next() {
		played := play(&c)
		if !played.repeats {
			count++
		}
		if len(played.broken) > 0 {
			broken := strings.Join(played.broken, "\n")
			failed = append(failed, fmt.Sprintf("-replay '%s|%s'\n  %s\n%s", scene, &c, played.story(), broken))
		}
	}
	t.Logf("%d paths", count)
	if len(failed) > 0 {
		t.Errorf("%d of %d violate a rule\n%s", len(failed), count, strings.Join(failed[:min(3, len(failed))], "\n"))
	}
}

// replay plays one path, such as "0.5.0", if the flag names the scene.
func replay(t *testing.T, scene string, play func(*choices) *record) {
	t.Helper()
	path, given := strings.CutPrefix(*replayed, scene+"|")
	if !given {
		return
	}
	c := choices{budget: math.MaxInt}
	for choice := range strings.SplitSeq(path, ".") {
		n, err := strconv.Atoi(choice)
		if err != nil && path != "" {
			t.Fatalf("the path %q is not numbers separated by dots", path)
		}
		c.path = append(c.path, n)
	}
	played := play(&c)
	t.Log(played.story())
	for _, broken := range played.broken {
		t.Error(broken)
	}
}

// choices is one path through everything that can happen. After the end of the path, all goes well.
type choices struct {
	path, sizes []int
	budget      int
	alone       bool
}

func (c *choices) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.path), " ", "."), "[]")
}

func (c *choices) mishaps() (chosen int) {
	for _, choice := range c.path[:len(c.sizes)] {
		if choice != 0 {
			chosen++
		}
	}
	return chosen
}

// choose returns the index of one of the options. Index 0 means that all goes well.
func (c *choices) choose(options int) int {
	at := len(c.sizes)
	if at == len(c.path) {
		c.path = append(c.path, 0)
	}
	if c.alone || c.mishaps() >= c.budget {
		options = 1
	}
	c.sizes = append(c.sizes, options)
	return c.path[at]
}

// next moves to the next path, depth first, and reports whether there is one.
func (c *choices) next() bool {
	for i := len(c.sizes) - 1; i >= 0; i-- {
		if c.path[i]+1 < c.sizes[i] {
			c.path = append(c.path[:i:i], c.path[i]+1)
			c.sizes, c.alone = nil, false
			return true
		}
	}
	return false
}
