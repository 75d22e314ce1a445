package api

import (
	"regexp"
	"strings"
)

// runnerCommands matches how the commands of CI runners begin: "::" at the beginning of a line, which can be that of
// any word, or "##[" and the like anywhere.
var runnerCommands = regexp.MustCompile(`(?:^|\s)::|##\w*\[`)

// Inert returns a text for output, with escapes in place of the commands of CI runners, which obey what they read.
func Inert(text string) string {
	return runnerCommands.ReplaceAllStringFunc(text, strings.NewReplacer("::", `:\u003a`, "##", `#\u0023`).Replace)
}
