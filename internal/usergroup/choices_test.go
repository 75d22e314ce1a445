package usergroup_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// choices is one path through everything that can happen. After the end of the path, all goes well.
type choices struct {
	path, sizes []int
	budget      int
	alone       bool
}

// parse adds the choices of a path such as "0.5.0", as String prints it.
func (c *choices) parse(t *testing.T, path string) {
	t.Helper()
	for choice := range strings.SplitSeq(path, ".") {
		n, err := strconv.Atoi(choice)
		if err != nil && path != "" {
			t.Fatalf("the path %q is not numbers separated by dots", path)
		}
		c.path = append(c.path, n)
	}
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
