package usergroup

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// pasted runs the command as a person would paste it, with a curl that only shows its arguments, one for each NUL.
func pasted(t testing.TB, command string) []string {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to paste the command into")
	}
	paste := exec.Command(shell, "-c", "curl() { printf '%s\\0' \"$@\"; }\n"+command)
	paste.Env = []string{"EMBED_BASE_URL=http://127.0.0.1:9", "EMBED_API_KEY=key with 'quotes' $(and) more", "PATH=/nonexistent"}
	shown, err := paste.Output()
	if err != nil {
		t.Fatalf("sh: %v; the command: %s", err, command)
	}
	return strings.Split(strings.TrimSuffix(string(shown), "\x00"), "\x00")
}

func checkRemovalCommand(t *testing.T, about string) {
	t.Helper()
	got := pasted(t, removalCommand(about))
	want := []string{
		"-X", "DELETE", "http://127.0.0.1:9/api/user",
		"-H", "Authorization: Token key with 'quotes' $(and) more", "-H", "Content-Type: application/json", "-d",
	}
	if len(got) != len(want)+1 || strings.Join(got[:len(want)], "\n") != strings.Join(want, "\n") {
		t.Fatalf("curl is given %q", got)
	}
	var body map[string]string
	if err := json.Unmarshal([]byte(got[len(want)]), &body); err != nil || len(body) != 1 || body["user_group_id"] != about {
		t.Errorf("curl is given the body %s, and the id is %q (%v)", got[len(want)], about, err)
	}
	if strings.HasPrefix(got[len(want)], "@") {
		t.Error("curl would read the body from a file")
	}
}

var hardToQuote = []string{
	"acme", "a b", " ", "it's", "''", `"`, `\`, `\'`, `\\'`, "$(touch x)", "`id`", "$HOME", "${X}", "!!", "*", "~", ";", "&& exit 1", "|", ">x", "#",
	"%s%n", "@file", "-d", "Müller", "客户", "🙂", "<b>&amp;", "\u2028", "a/b?c=d", "\x7f", "\t", "\n", "\x01", "", "'$(exit 3)'",
}

func TestRemovalCommandSurvivesAShell(t *testing.T) {
	t.Parallel()
	for _, about := range hardToQuote {
		checkRemovalCommand(t, about)
	}
}

func FuzzRemovalCommand(f *testing.F) {
	for _, about := range hardToQuote {
		f.Add(about)
	}
	f.Fuzz(func(t *testing.T, about string) {
		if !utf8.ValidString(about) {
			t.Skip("the provider takes no such id, and Terraform has no such string")
		}
		checkRemovalCommand(t, about)
	})
}

// What the error says is what removes the group.
func TestRemovalCommandRemoves(t *testing.T) {
	t.Parallel()
	for _, about := range []string{"acme", "it's \"odd\" \\ $(x)", "Müller & Söhne"} {
		e, s := newService(t, setup{})
		e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.Redirect307})
		_, err := s.Find(t.Context(), Known{ID: about})
		p := checkProblem(t, about, err)
		if generic(p.Title, about) != titleLeftBehind {
			t.Fatal(p.Title)
		}
		_, command, _ := strings.Cut(p.Detail, "\n\n  ")
		command, _, _ = strings.Cut(command, "\n\n")
		arguments := pasted(t, command)
		request, err := http.NewRequest(arguments[1], e.URL()+"/api/user", strings.NewReader(arguments[len(arguments)-1]))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Token "+emulator.DefaultKey)
		request.Header.Set("Content-Type", "application/json")
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if len(e.Groups()) != 0 {
			t.Errorf("the command has not removed %q: %s", about, command)
		}
	}
}
