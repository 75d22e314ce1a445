package endtoend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

const (
	mayBeLeftBehind = "Looking up user group %q may have created it"
	doesNotExist    = "User group %q does not exist"

	perhapsShell  = "it may be there now as an empty shell"
	nowShell      = "it is now an empty shell; remove it with"
	nothingDone   = "Nothing was changed."
	removedAgain  = "The lookup had created the group, and it was removed again."
	leftNone      = "the lookup has left none behind"
	addressOfHost = "Set base_url (EMBED_BASE_URL) to the address that the service really has."
)

// lookupCell is a group that is looked up while the service is out of order.
type lookupCell struct {
	faultExpectation
	id   string
	kind faultKind
	how  span
	// there: the group exists.
	there bool
}

// lookups are the cells of a lookup. thereOnce and goneOnce say what comes of a fault that strikes once: for a group that
// is known that is another thing than for one that is imported. A refusal that strikes once has a test of its own, since a
// run in which a lookup with a name succeeds after one without goes on with names.
func lookups(thereOnce, goneOnce map[class]faultExpectation) []lookupCell {
	lasting := map[class]faultExpectation{
		undone:     fails("GET>GET>GET", cannotLookUp, perhapsShell),
		unheard:    fails("GET>GET>GET", cannotLookUp, perhapsShell),
		tokenless:  fails("GET>GET>GET", cannotLookUp, nothingDone),
		throttled:  fails("GET>GET>GET", cannotLookUp, nothingDone),
		refused:    fails("GET>GET", cannotLookUp, nothingDone),
		redirected: fails("GET", cannotLookUp, addressOfHost),
	}
	lastingGone := map[class]faultExpectation{
		undone:     lasting[undone],
		unheard:    fails("GET*>GET>GET", cannotLookUp, perhapsShell),
		tokenless:  fails("GET*>GET>GET>DELETE*", cannotLookUp, removedAgain),
		throttled:  lasting[throttled],
		refused:    lasting[refused],
		redirected: lasting[redirected],
	}
	var cells []lookupCell
	for _, kind := range faultKinds() {
		for _, one := range []struct {
			how      span
			there    bool
			expected map[class]faultExpectation
		}{{once, true, thereOnce}, {once, false, goneOnce}, {broken, true, lasting}, {broken, false, lastingGone}} {
			if one.expected[kind.class].calls == "" {
				continue
			}
			where := "gone"
			if one.there {
				where = "there"
			}
			id := fmt.Sprintf("%s.%s.%s", where, kind.name, one.how)
			cells = append(cells, lookupCell{one.expected[kind.class], id, kind, one.how, one.there})
		}
	}
	return cells
}

func (c *lookupCell) check(t *testing.T, service *emulator.Emulator, run outcome) {
	t.Helper()
	if calls := callsOf(service, c.id); calls != c.calls {
		t.Errorf("%s: the service was called %q, want %q", c.id, calls, c.calls)
	}
	errors := run.about("error", c.id)
	switch {
	case c.title == "":
		if len(errors) > 0 {
			t.Errorf("%s: %+v", c.id, errors)
		}
	case len(errors) != 1 || errors[0].Summary != fmt.Sprintf(c.title, c.id) || !strings.Contains(errors[0].Detail, c.says):
		t.Errorf("%s: want %q … %q, got %+v", c.id, c.title, c.says, errors)
	}
	// A group that a lookup has made, and not removed, must be announced, with the way to remove it.
	if _, exists := service.Group(c.id); exists && !c.there && (len(errors) != 1 || !strings.Contains(errors[0].Detail, "curl -X DELETE")) {
		t.Errorf("%s: the lookup has left a group behind, and says %+v", c.id, errors)
	}
}

// TestAccFaultRefresh looks at groups of the state that have changed, or are gone, while the service is out of order.
func TestAccFaultRefresh(t *testing.T) {
	acceptance(t)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	cells := lookups(
		map[class]faultExpectation{
			undone: fine("GET>GET"), unheard: fine("GET>GET"), tokenless: fine("GET>GET"),
			throttled:  fine("GET>GET"),
			redirected: fails("GET", cannotLookUp, addressOfHost),
		},
		map[class]faultExpectation{
			undone: fine("GET>GET*>DELETE*"), tokenless: fine("GET*>GET>DELETE*"),
			throttled:  fine("GET>GET*>DELETE*"),
			unheard:    fails("GET*>GET", mayBeLeftBehind, nowShell),
			redirected: fails("GET", cannotLookUp, addressOfHost),
		})
	wanted := groups{}
	for _, cell := range cells {
		wanted[cell.id] = group{Name: "Acme", Issue: "1", Mapping: map[string]string{"sales": "acme_sales"}}
	}
	w.wants(wanted)
	w.apply("-parallelism=20").succeeded(t)
	had := w.state()
	for _, cell := range cells {
		if cell.there {
			service.RotateBehind(cell.id)
		} else {
			service.Remove(cell.id)
		}
	}

	// A refresh with an error is not written. So what fails comes after what gets through.
	for _, gettingThrough := range []bool{true, false} {
		service.ResetCounts()
		var now []lookupCell
		args := []string{"apply", "-refresh-only", "-auto-approve", "-parallelism=100"}
		for _, cell := range cells {
			if (cell.title == "") == gettingThrough {
				now = append(now, cell)
				strike(service, cell.kind, get, cell.id, cell.how)
				args = append(args, fmt.Sprintf("-target=embed_user_group.group[%q]", cell.id))
			}
		}
		run := w.run(args...)
		state := w.state()
		for _, cell := range now {
			cell.check(t, service, run)
			here, known := state[cell.id]
			there, exists := service.Group(cell.id)
			switch {
			case !gettingThrough && (!known || here.Token != had[cell.id].Token):
				t.Errorf("%s: the refresh failed, and yet the state has changed", cell.id)
			case gettingThrough && known != exists:
				t.Errorf("%s: in the state: %t; at the service: %t", cell.id, known, exists)
			case gettingThrough && exists:
				compareGroup(t, here, there)
			}
		}
		if (run.code == 0) != gettingThrough {
			t.Errorf("the refresh ended with %d\n%s", run.code, run.errors())
		}
		service.ClearFaults()
	}
	noneElsewhere(t, service)

	w.apply("-parallelism=20").succeeded(t)
	w.agrees()
	w.plansNothing()
	for _, cell := range cells {
		if there, _ := service.Group(cell.id); there.Mapping["sales"] != "acme_sales" {
			t.Errorf("%s: the mapping did not come back: %v", cell.id, there.Mapping)
		}
		if n := service.Rotations(cell.id); n > 0 {
			t.Errorf("%s: %d rotations by refreshing", cell.id, n)
		}
	}
}

// TestAccFaultImport imports groups that exist, and ids that do not, while the service is out of order. Nothing may be left
// at the service that is not announced, and what is announced goes away by the very command of the message.
func TestAccFaultImport(t *testing.T) {
	acceptance(t)
	engine.Needs(t, engine.ImportBlock)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	// Nothing is known of an imported group, so after a lost answer nobody can tell whether it was there before; an
	// answer that lacks the token still tells.
	cells := lookups(
		map[class]faultExpectation{
			undone:     fails("GET>GET", mayBeLeftBehind, nowShell),
			unheard:    fails("GET>GET", mayBeLeftBehind, nowShell),
			tokenless:  fine("GET>GET"),
			throttled:  fine("GET>GET"),
			redirected: fails("GET", cannotLookUp, addressOfHost),
		},
		map[class]faultExpectation{
			undone:     fails("GET>GET*>DELETE*", doesNotExist, leftNone),
			unheard:    fails("GET*>GET", mayBeLeftBehind, nowShell),
			tokenless:  fails("GET*>GET>DELETE*", doesNotExist, leftNone),
			throttled:  fails("GET>GET*>DELETE*", doesNotExist, leftNone),
			redirected: fails("GET", cannotLookUp, addressOfHost),
		})
	wanted, existing := groups{}, groups{}
	for _, cell := range cells {
		one := group{Name: "Acme"}
		wanted[cell.id] = one
		if cell.there {
			service.Seed(emulator.Group{ID: cell.id, Name: "Acme"})
			existing[cell.id] = one
		}
		strike(service, cell.kind, get, cell.id, cell.how)
	}
	w.imports(wanted)
	planned := w.run("plan", "-out=plan", "-parallelism=100").failed(t)
	noneElsewhere(t, service)
	for _, cell := range cells {
		cell.check(t, service, planned)
	}
	service.ClearFaults()

	for _, cell := range cells {
		if _, shell := service.Group(cell.id); shell && !cell.there {
			w.runCurl(planned.about("error", cell.id)[0].Detail)
			if _, still := service.Group(cell.id); still {
				t.Errorf("%s: the command of the message did not remove it", cell.id)
			}
		}
	}
	w.imports(existing)
	w.apply("-parallelism=20").succeeded(t)
	w.agrees()
	w.plansNothing()
	if n := len(service.Groups()); n != len(existing) {
		t.Errorf("the service has %d groups, want the %d that were there from the start", n, len(existing))
	}
	for _, cell := range cells {
		if n := service.Rotations(cell.id); n > 0 {
			t.Errorf("%s: %d rotations by importing", cell.id, n)
		}
	}
}

// TestAccFaultRefusedLookup: a lookup that is refused is asked once more, with a name, which changes nothing.
func TestAccFaultRefusedLookup(t *testing.T) {
	acceptance(t)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	w.wants(groups{"acme": {Name: "Acme", Issue: "1"}})
	w.apply().succeeded(t)
	for _, gone := range []bool{false, true} {
		want := "GET>GET"
		if gone {
			service.Remove("acme")
			want = "GET>GET*>DELETE*"
		}
		service.ResetCounts()
		service.Fail(emulator.Fault{Nth: 1, Kind: emulator.Answer, Body: `{"success":0}`})
		w.apply("-refresh-only").succeeded(t)
		if calls := callsOf(service, "acme"); calls != want {
			t.Errorf("gone: %t: the service was called %q, want %q", gone, calls, want)
		}
		w.agrees()
	}
}

// imports makes the configuration import each of its groups.
func (w *workspace) imports(wanted groups) {
	w.t.Helper()
	var text strings.Builder
	for _, id := range sorted(wanted) {
		fmt.Fprintf(&text, "import {\n  to = embed_user_group.group[%q]\n  id = %q\n}\n\n", id, id)
	}
	w.write("imports.tf", []byte(text.String()))
	w.wants(wanted)
}
