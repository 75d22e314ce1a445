package acceptance

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPagesHaveHeadings checks that a reader finds a heading where one looks for it: no part of a page between two
// headings has more words of prose than one screen. The list of arguments is a part that nobody reads from top to end.
func TestPagesHaveHeadings(t *testing.T) {
	t.Parallel()
	const screen = 300
	for name, page := range pages(t) {
		page = codeBlock.ReplaceAllString(page, "")
		for _, part := range heading.Split(page, -1) {
			isList := strings.Contains(part, "\n- `") && strings.Contains(part, "` (")
			if words := len(prose(part)); words > screen && !isList {
				t.Errorf("%s: a part has %d words without a heading, want at most %d:\n%.200s", name, words, screen, part)
			}
		}
	}
}

// TestPagesSayOneThingAtATime checks how many colons and semicolons stand in a thousand words of prose. They join what
// would be easier to read as two sentences.
func TestPagesSayOneThingAtATime(t *testing.T) {
	t.Parallel()
	words, joints := 0, 0
	joint := regexp.MustCompile(`[^|\s][:;] `)
	for _, page := range pages(t) {
		words += len(prose(page))
		page = codeBlock.ReplaceAllString(frontMatter.ReplaceAllString(page, ""), "")
		joints += len(joint.FindAllString(inlineCode.ReplaceAllString(page, "code"), -1))
	}
	if often := 1000 * float64(joints) / float64(words); often > 15 {
		t.Errorf("%.1f colons and semicolons in a thousand words, want at most 15", often)
	}
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
)

// prose returns the words of a page in lower case, without code and the targets of links.
func prose(page string) []string {
	page = codeBlock.ReplaceAllString(frontMatter.ReplaceAllString(page, ""), "")
	page = linkTarget.ReplaceAllString(inlineCode.ReplaceAllString(page, " "), "]")
	return strings.FieldsFunc(strings.ToLower(page), func(r rune) bool {
		return strings.ContainsRune(" \n|*_()[],.:;!?", r)
	})
}

// TestPagesDoNotHedge checks how often the pages say may, if and unless, in a thousand words of prose. A rule comes
// first, and its conditions follow as a list.
func TestPagesDoNotHedge(t *testing.T) {
	t.Parallel()
	words, hedges := 0, map[string]int{}
	for _, page := range pages(t) {
		for _, word := range prose(page) {
			words++
			hedges[word]++
		}
	}
	for word, most := range map[string]float64{"may": 1.5, "if": 7.5, "unless": 0.4} {
		if often := 1000 * float64(hedges[word]) / float64(words); often > most {
			t.Errorf("%q stands %.2f times in a thousand words, want at most %.1f", word, often, most)
		}
	}
}

// TestNothingIsClaimedBeforeItIsTrue checks that no page claims a registry or a tag, while CHANGELOG.md says that
// nothing is released, and that no page says what some services do: nobody has seen one. tools/release/flip lists what
// the release turns around.
func TestNothingIsClaimedBeforeItIsTrue(t *testing.T) {
	t.Parallel()
	texts := pages(t)
	for _, name := range []string{
		"README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/modules/customers/README.md",
	} {
		texts[name] = readPage(t, filepath.Join("../..", name))
	}
	never := regexp.MustCompile(`(?i)some services|blob/main|tree/main|raw/main`)
	claims := regexp.MustCompile(`(?i)dashembed/\S*@|ref=v\d|/v\d+\.\d+\.\d+/|` +
		`registry\.(?:terraform\.io|opentofu\.org)/providers|is in the \S* ?(?:and \S+ )?registr`)
	unreleased := strings.Contains(texts["CHANGELOG.md"], " (unreleased)\n")
	for name, text := range texts {
		if found := never.FindAllString(text, -1); len(found) > 0 {
			t.Errorf("%s says %q", name, found)
		}
		if found := claims.FindAllString(text, -1); unreleased && len(found) > 0 {
			t.Errorf("nothing is released, but %s says %q", name, found)
		}
	}
}

// TestFlipListIsCurrent checks that each text that the release turns around is there until then.
func TestFlipListIsCurrent(t *testing.T) {
	t.Parallel()
	if !strings.Contains(readPage(t, "../../CHANGELOG.md"), " (unreleased)\n") {
		t.Skip("the texts have been turned around")
	}
	_, list, _ := strings.Cut(readPage(t, "../../tools/release/flip"), "<<'LIST'\n")
	list, _, _ = strings.Cut(list, "LIST\n")
	listed := 0
	for line := range strings.Lines(list) {
		entry := strings.Split(line, "\t")
		if listed++; len(entry) != 3 || !strings.Contains(readPage(t, filepath.Join("../..", entry[0])), entry[1]) {
			t.Errorf("the text is not in the file: %s", line)
		}
	}
	if listed < 15 {
		t.Errorf("found only %d texts", listed)
	}
}
