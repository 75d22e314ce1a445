package endtoend

import (
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccHalfDoneUpdate: the name was changed and the token was not rotated.
func TestAccHalfDoneUpdate(t *testing.T) {
	acceptance(t)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	w.wants(groups{"acme": {Name: "Acme", Issue: "1"}})
	w.apply().succeeded(t)
	before := w.state()["acme"]

	service.Fail(emulator.Fault{Method: post, Kind: emulator.Unavailable503})
	w.wants(groups{"acme": {Name: "Acme Inc.", Issue: "2"}})
	failed := w.apply().failed(t)
	if len(failed.about("error", "acme")) != 1 {
		t.Errorf("the error does not name the group:\n%s", failed.errors())
	}
	half := w.agrees()["acme"]
	if half.Name != "Acme Inc." || half.Trigger["issue"] != "1" || half.Token != before.Token {
		t.Errorf("the state has the name %q and the trigger %q", half.Name, half.Trigger["issue"])
	}

	service.ClearFaults()
	service.ResetCounts()
	w.prose = true
	planned := w.run("plan", "-out=plan").succeeded(t).out
	if strings.Contains(planned, "~ name") || !strings.Contains(planned, "~ token_fingerprint") {
		t.Errorf("the next plan is to rotate and not to rename:\n%s", planned)
	}
	w.run("show", "plan").succeeded(t)
	w.run("apply", "plan").succeeded(t)
	if calls := callsOf(service, "acme"); calls != "GET>POST*" {
		t.Errorf("the next run called %q", calls)
	}
	w.prose = false
	if whole := w.agrees()["acme"]; whole.Token == before.Token || whole.Trigger["issue"] != "2" {
		t.Errorf("the trigger is %q; the token is the old one: %t", whole.Trigger["issue"], whole.Token == before.Token)
	}
}

// TestAccHalfDoneAdoption: a group that could not be adopted belongs to somebody else still.
func TestAccHalfDoneAdoption(t *testing.T) {
	acceptance(t)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	theirs := service.Seed(emulator.Group{ID: "theirs", Name: "Theirs"})
	service.Fail(emulator.Fault{Method: put, Kind: emulator.CutAfterWork})
	w.wants(groups{"theirs": {Name: "Ours", Adopt: true}, "ours": {Name: "Ours"}})
	w.apply().failed(t)
	if state := w.state(); len(state) != 1 || state["ours"].Name == "" {
		t.Errorf("the state has %v", sorted(state))
	}
	service.ClearFaults()
	w.run("destroy", "-auto-approve").succeeded(t)
	if there, ok := service.Group("theirs"); !ok || there.Token != theirs.Token || service.Deletions("theirs") > 0 {
		t.Error("the destruction touched the group that was not adopted")
	}
	if _, ok := service.Group("ours"); ok {
		t.Error("the destruction did not reach the group of the state")
	}
}

// TestAccHalfDoneLookup: an import of an id that does not exist makes a shell, which cannot be removed.
func TestAccHalfDoneLookup(t *testing.T) {
	acceptance(t)
	engine.Needs(t, engine.ImportExpression)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	const id = "o'typo \"x\" $HOME"
	service.Fail(emulator.Fault{Method: remove, Kind: emulator.Unavailable503})
	w.write("imports.tf", []byte(`import {
  to = embed_user_group.group["typo"]
  id = jsondecode(file("${path.module}/id.json"))
}`))
	w.writeJSON("id.json", id)
	w.write("main.tf", []byte(strings.NewReplacer(`= each.key`, `= each.value.name`).Replace(configuration)))
	w.wants(groups{"typo": {Name: id}})
	planned := w.run("plan").failed(t)
	if len(planned.problems) == 0 || !strings.Contains(planned.errors(), "was left behind") {
		t.Fatalf("the error is another one:\n%s", planned.errors())
	}
	if _, shell := service.Group(id); !shell {
		t.Fatal("no shell is left: the fault did not strike")
	}
	service.ClearFaults()
	w.runCurl(planned.errors())
	if left := service.Groups(); len(left) > 0 {
		t.Errorf("the command of the message has left %d groups", len(left))
	}
	if state := w.state(); len(state) > 0 {
		t.Errorf("the state has %v", sorted(state))
	}
}

var curlCommand = regexp.MustCompile(`(?m)^\s*(curl -X DELETE "\$EMBED_BASE_URL(/\S+)" -H "Authorization: Token \$EMBED_API_KEY" -H 'Content-Type: application/json' -d '(.*)')\s*$`)

// runCurl runs the one command that a message has, as a person would: in a shell, or without curl as the request it is.
func (w *workspace) runCurl(message string) {
	w.t.Helper()
	found := curlCommand.FindAllStringSubmatch(message, -1)
	if len(found) != 1 {
		w.t.Fatalf("there are %d commands to run, want one, in\n%s", len(found), message)
	}
	shell, noShell := exec.LookPath("sh")
	if _, noCurl := exec.LookPath("curl"); noCurl == nil && noShell == nil {
		command := exec.CommandContext(w.t.Context(), shell, "-c", found[0][1]+" --silent --show-error --fail --noproxy '*'")
		command.Env = append(shared.environment(), "EMBED_BASE_URL="+w.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
		if said, err := command.CombinedOutput(); err != nil {
			w.t.Errorf("%s: %v: %s", found[0][1], err, said)
		}
		return
	}
	body := strings.ReplaceAll(found[0][3], `'\''`, `'`)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodDelete, w.service.URL()+found[0][2], strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+emulator.DefaultKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	if _ = answer.Body.Close(); answer.StatusCode != http.StatusOK {
		w.t.Errorf("%s: %s", found[0][1], answer.Status)
	}
}

// TestAccFaultLateRotation: the service comes to a rotation only after its caller has given it up, has looked, and is
// sending it once more. That is one rotation all the same.
func TestAccFaultLateRotation(t *testing.T) {
	acceptance(t)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	w.wants(groups{"acme": {Name: "Acme", Issue: "1"}})
	w.apply().succeeded(t)

	service.Fail(emulator.Fault{Method: post, Nth: 1, Kind: emulator.DelayBefore, Delay: patience + patience/2})
	service.ResetCounts()
	service.BeforeCall(func(call emulator.Call) {
		// The second rotation is not worked on before the first.
		if call.Method == post && service.Count(get) == 2 {
			for deadline := time.Now().Add(30 * time.Second); service.Rotations("acme") == 0 && time.Now().Before(deadline); {
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	w.wants(groups{"acme": {Name: "Acme", Issue: "2"}})
	w.apply().succeeded(t)
	if calls := callsOf(service, "acme"); calls != "GET>GET>POST*>POST>GET" {
		t.Errorf("the service was called %q", calls)
	}
	if n := service.Rotations("acme"); n != 1 {
		t.Errorf("%d rotations", n)
	}
	w.agrees()
	w.plansNothing()
}
