package acceptance

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostWords limits the words of pages, as wc -w counts them. Pages that stand in one entry share its limit.
var mostWords = map[string]int{
	"index.md":                1600,
	"resources/user_group.md": 1350,
	"data-sources/user_group.md data-sources/user_groups.md": 460,
	"ephemeral-resources/user_group_token.md actions/rotate_user_group_token.md list-resources/user_group.md " +
		"functions/token_fingerprint.md": 950,
	"guides/getting-started.md":   1600,
	"guides/production.md":        1600,
	"guides/tokens.md":            1610,
	"guides/service-behavior.md":  1300,
	"guides/changing-groups.md":   700,
	"guides/wrong-environment.md": 550,
	"guides/network.md":           700,
	"guides/testing.md":           300,
	"guides/troubleshooting.md":   1610,
}

// TestPagesStayShort checks the words of each page. A newcomer reads only what is short. Whoever adds a fact takes out
// one that nobody would miss.
func TestPagesStayShort(t *testing.T) {
	t.Parallel()
	texts, total := pages(t), 0
	left := maps.Clone(texts)
	for names, most := range mostWords {
		words := 0
		for name := range strings.FieldsSeq(names) {
			if _, exists := left[name]; !exists {
				t.Errorf("there is no page %s", name)
			}
			words += len(strings.Fields(left[name]))
			delete(left, name)
		}
		if total += words; words > most {
			t.Errorf("%d words, want at most %d: %s", words, most, names)
		}
	}
	if len(left) > 0 || total > 16100 {
		t.Errorf("docs/ has %d words, want at most 14,000, and these pages without a limit: %q",
			total, slices.Sorted(maps.Keys(left)))
	}
	for name, most := range map[string]int{"README.md": 600, "examples/modules/customers/README.md": 700} {
		if words := len(strings.Fields(readPage(t, filepath.Join("../..", name)))); words > most {
			t.Errorf("%s has %d words, want at most %d", name, words, most)
		}
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
	if listed < 20 {
		t.Errorf("found only %d texts", listed)
	}
}
