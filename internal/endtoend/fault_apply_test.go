package endtoend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// faultCell is one group of the table: an operation, a fault, how long it lasts, and what has to come of it.
type faultCell struct {
	faultExpectation
	id        string
	operation faultOperation
	kind      faultKind
	how       span
}

func faultCells() []faultCell {
	var cells []faultCell
	for _, operation := range faultOperations() {
		for _, kind := range faultKinds() {
			expected := operation.expected[kind.class]
			for i, how := range []span{once, broken} {
				if expected[i].calls == "" {
					continue
				}
				expectation := expected[i]
				if operation.name == "destroy" && kind.name == "half" && how == broken {
					expectation = destroyHalfBroken
				}
				id := fmt.Sprintf("%s.%s.%s", operation.name, kind.name, how)
				cells = append(cells, faultCell{expectation, id, operation, kind, how})
			}
		}
	}
	return cells
}

// TestAccFaultApply puts every operation of an apply under every fault, once and lasting, each on a group of its own, in
// one run of the engine; the next run is on a healthy service.
func TestAccFaultApply(t *testing.T) {
	acceptance(t)
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, quick)
	cells := faultCells()
	before, after := groups{}, groups{}
	for _, cell := range cells {
		wanted := group{Name: "Old", Issue: "1"}
		switch {
		case cell.operation.managed:
			before[cell.id] = wanted
		case cell.operation.foreign:
			service.Seed(emulator.Group{ID: cell.id, Name: "Foreign"})
			wanted.Adopt = true
		}
		if cell.operation.renames {
			wanted.Name = "New"
		}
		if cell.operation.rotates {
			wanted.Issue = "2"
		}
		if cell.operation.name != "destroy" {
			after[cell.id] = wanted
		}
	}
	w.wants(before)
	w.apply("-parallelism=20").succeeded(t)
	had := w.state()
	w.wants(after)
	w.run("plan", "-out=plan", "-parallelism=20").succeeded(t)

	service.ResetCounts()
	for _, cell := range cells {
		how := cell.how
		if cell.operation.everything {
			how = down
		}
		strike(service, cell.kind, cell.operation.struck, cell.id, how)
	}
	applied := w.run("apply", "-parallelism=100", "plan").failed(t)
	if waiting := service.FaultsWaiting(); waiting > 0 {
		t.Errorf("%d faults never struck", waiting)
	}
	noneElsewhere(t, service)
	has := w.state()
	for _, cell := range cells {
		cell.check(t, service, applied, had, has)
	}

	service.ClearFaults()
	w.healed(cells, after)
}

func (c *faultCell) check(t *testing.T, service *emulator.Emulator, applied outcome, had, has map[string]kept) {
	t.Helper()
	if calls := callsOf(service, c.id); calls != c.calls {
		t.Errorf("%s: the service was called %q, want %q", c.id, calls, c.calls)
	}
	errors := applied.about("error", c.id)
	now, there := has[c.id]
	if c.title == "" {
		for _, said := range errors {
			t.Errorf("%s: %s: %s", c.id, said.Summary, said.Detail)
		}
		switch stored, exists := service.Group(c.id); {
		case exists != there || exists == (c.operation.name == "destroy"):
			t.Errorf("%s: in the state: %t; at the service: %t", c.id, there, exists)
		case exists:
			compareGroup(t, now, stored)
		}
		c.checkWarning(t, applied)
		return
	}
	title := fmt.Sprintf(c.title, c.id)
	if len(errors) != 1 || errors[0].Summary != title || !strings.Contains(errors[0].Detail, c.says) {
		t.Errorf("%s: want %q … %q, got %+v", c.id, title, c.says, errors)
	} else if want := fmt.Sprintf("embed_user_group.group[%q]", c.id); errors[0].Address != want && c.operation.name != "destroy" {
		// Engines show no address when a deletion fails; the title says which group it is.
		t.Errorf("%s: the error is shown at %s", c.id, errors[0].Address)
	}
	was := had[c.id]
	if c.halfDone {
		was.Name = "New"
	}
	if there != c.operation.managed || now.Name != was.Name || now.Token != was.Token || now.TeamID != was.TeamID || now.Trigger["issue"] != was.Trigger["issue"] {
		t.Errorf("%s: the state has (%t) the name %q and the trigger %q, with the token of before: %t; want what was done, and nothing else",
			c.id, there, now.Name, now.Trigger["issue"], now.Token == was.Token)
	}
}

func (c *faultCell) checkWarning(t *testing.T, applied outcome) {
	t.Helper()
	want := ""
	switch {
	case c.operation.foreign:
		want = "was adopted"
	case c.operation.name == "create" && c.kind.class == unheard:
		want = "exists after a lost answer and is taken for ours"
	}
	warnings := applied.about("warning", c.id)
	if want == "" && len(warnings) > 0 || want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0].Summary, want)) {
		t.Errorf("%s: want a warning that has %q, got %+v", c.id, want, warnings)
	}
}

// healed goes on with a service that works again. What is left for a person to decide is only what nobody can know: a
// group that was created without a usable answer, run after run. The error says how to go on, and that is done.
func (w *workspace) healed(cells []faultCell, wanted groups) {
	t := w.t
	t.Helper()
	again := w.apply("-parallelism=20").failed(t)
	undecided := map[string]bool{}
	for _, cell := range cells {
		if cell.operation.name == "create" && cell.title != "" && strings.Contains(cell.calls, "*") {
			undecided[cell.id] = true
		}
		errors := again.about("error", cell.id)
		if !undecided[cell.id] && len(errors) > 0 ||
			undecided[cell.id] && (len(errors) != 1 || !strings.HasSuffix(errors[0].Summary, "already exists")) {
			t.Errorf("%s: the next run says %+v", cell.id, errors)
		}
		if calls := callsOf(w.service, cell.id); cell.halfDone && calls != cell.calls+">GET>POST*" {
			t.Errorf("%s: what was half done was finished by %q, want a lookup and the rotation alone", cell.id, calls)
		}
	}
	w.wants(wanted.changed(func(id string, one *group) {
		if undecided[id] {
			one.Adopt = true
		}
	}))
	w.apply("-parallelism=20").succeeded(t)
	w.agrees()
	w.plansNothing()
	for _, cell := range cells {
		want := 0
		if cell.operation.rotates {
			want = 1
			if cell.title != "" && strings.Contains(cell.calls, post+"*") {
				// It was rotated, and nobody could be asked whether it was: the error announces a second rotation.
				want = 2
			}
		}
		if got := w.service.Rotations(cell.id); got != want {
			t.Errorf("%s: %d rotations, want %d", cell.id, got, want)
		}
	}
}
