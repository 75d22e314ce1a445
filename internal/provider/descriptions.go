package provider

import (
	"reflect"
	"regexp"
	"strings"
)

// What several objects say in the same words.
const (
	describeUserGroupID = "Your own identifier of the group, unique within the environment of the API key. At least one character, without control characters or surrounding spaces."
	describeFingerprint = "The first 12 hexadecimal digits of the token's SHA-256. It is not secret, changes exactly when the token does, and can drive restarts and the `*_wo_version` arguments of other resources; `parseint(…, 16)` turns it into a number, as most of those want."
	describeTeamID      = "The service's own number of the group. Another number under the same id means that the group was deleted and made anew."
)

// describePlainly gives a schema and its attributes plain descriptions beside those in Markdown, with the same words, for
// programs that read the schemas in Go: the protocol carries one of the two, and the framework sends the Markdown. The
// schemas of six packages are alike and have no type in common, hence the reflection.
func describePlainly(schema any) {
	described := reflect.ValueOf(schema).Elem()
	setPlainDescription(described)
	attributes := described.FieldByName("Attributes")
	for _, name := range attributes.MapKeys() {
		attribute := reflect.New(attributes.MapIndex(name).Elem().Type()).Elem()
		attribute.Set(attributes.MapIndex(name).Elem())
		setPlainDescription(attribute)
		attributes.SetMapIndex(name, attribute)
	}
}

func setPlainDescription(described reflect.Value) {
	described.FieldByName("Description").SetString(plain(described.FieldByName("MarkdownDescription").String()))
}

var (
	markdownLink     = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
	markdownEmphasis = regexp.MustCompile(`\*([A-Za-z][A-Za-z ]*)\*`)
)

func plain(markdown string) string {
	text := strings.NewReplacer("**", "", "`", "").Replace(markdownLink.ReplaceAllString(markdown, "$1"))
	return markdownEmphasis.ReplaceAllString(text, "$1")
}
