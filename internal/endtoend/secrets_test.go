package endtoend

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// tokenShape is what every token looks like that the emulator hands out, also those that nobody has any more.
var tokenShape = regexp.MustCompile(`ugt_[A-Z2-7]{10,}`)

// toldNoSecret looks through everything that a command has written but the state: no token that the service has ever
// handed out, and no API key.
func (w *workspace) toldNoSecret(done outcome) {
	w.t.Helper()
	for where, text := range map[string]string{"output": done.out, "log": done.log} {
		if line := secretLine(text, w.service); line != "" {
			w.t.Errorf("%s: the %s tells a secret: %s", done.args, where, line)
		}
	}
}

// secretLine returns the first line that has a secret in it, the secret itself shortened.
func secretLine(text string, service *emulator.Emulator) string {
	at := strings.Index(text, emulator.DefaultKey)
	if found := tokenShape.FindStringIndex(text); at < 0 && found != nil {
		at = found[0]
	}
	for _, group := range service.Groups() {
		if at >= 0 {
			break
		}
		at = strings.Index(text, group.Token)
	}
	if at < 0 {
		return ""
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	return text[max(start, at-400):at] + text[at:min(len(text), at+8)] + "…"
}

func TestSecretLine(t *testing.T) {
	t.Parallel()
	service := startService(t, emulator.Options{})
	given := service.Seed(emulator.Group{ID: "acme"}).Token
	for text, told := range map[string]bool{
		"":                                  false,
		"nothing to see":                    false,
		"first\nsecond " + given + " third": true,
		`{"Authorization":"Token ` + emulator.DefaultKey: true,
	} {
		line := secretLine(text, service)
		if (line != "") != told {
			t.Errorf("%q: %q", text, line)
		}
		if strings.Contains(line, given) || strings.Contains(line, "first") {
			t.Errorf("%q: %q says too much", text, line)
		}
	}
}
