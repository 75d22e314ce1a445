package provider

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// reading is one way to read the contract, with a service that does so and a provider of its own name.
type reading struct {
	*emulator.Emulator
	name, does string
	options    emulator.Options
	token      string
}

// readings are all of them. They run side by side under one engine, since starting it costs more than the rest.
type readings struct {
	t   *testing.T
	all []*reading
}

func everyReading(t *testing.T) readings {
	t.Helper()
	every := readings{t: t}
	for _, answers := range []emulator.Answers{emulator.AnswersStored, emulator.AnswersEcho} {
		for _, updates := range []emulator.Updates{emulator.UpdatesReplace, emulator.UpdatesMerge} {
			for _, nameRequired := range []bool{false, true} {
				for _, refusals := range []emulator.Refusals{emulator.RefusalsStatus, emulator.RefusalsSuccessZero} {
					for _, tag := range []string{"Customer", "Testing", ""} {
						every.add(emulator.Options{
							Answers: answers, Updates: updates, NameRequired: nameRequired, Refusals: refusals,
							Environments: map[string]string{emulator.DefaultKey: tag},
						})
					}
				}
			}
		}
	}
	return every
}

func (every *readings) add(options emulator.Options) {
	every.t.Helper()
	every.all = append(every.all, &reading{
		Emulator: startService(every.t, options), options: options, name: fmt.Sprintf("r%02d", len(every.all)),
		does: fmt.Sprintf("echo=%t merge=%t name required=%t success 0=%t tag=%q", options.Answers == emulator.AnswersEcho,
			options.Updates == emulator.UpdatesMerge, options.NameRequired, options.Refusals == emulator.RefusalsSuccessZero, options.Environments[emulator.DefaultKey]),
	})
}

func (r *reading) address() string { return "embed_user_group." + r.name }

func (r *reading) echoes() bool { return r.options.Answers == emulator.AnswersEcho }

func (r *reading) merges() bool { return r.options.Updates == emulator.UpdatesMerge }

// tag is what the state has of the environment once the service has told it.
func (r *reading) tag() any {
	if tag := r.options.Environments[emulator.DefaultKey]; tag != "" {
		return tag
	}
	return nil
}

// life is a step of all readings at once.
type life struct {
	does   string
	before func(*reading)
	// lines are the group's arguments, and more is what stands beside it.
	lines func(*reading) []string
	more  func(*reading) string
	// calls are those that are not lookups, until the end of apply.
	calls func(*reading) string
	// tagged: the service has told the environment since the group was made.
	tagged bool
	// then checks a reading after the apply.
	then func(*reading) error
	step func(*resource.TestStep)
}

func (every *readings) run(lives ...life) {
	every.t.Helper()
	// The engines that came first with import blocks look for the provider that the type is named after.
	names := []string{"embed"}
	for _, r := range every.all {
		names = append(names, r.name)
	}
	var steps []resource.TestStep
	for _, l := range lives {
		steps = append(steps, every.testStep(l))
	}
	resource.ParallelTest(every.t, resource.TestCase{
		ProtoV6ProviderFactories: factories(names...),
		Steps:                    steps,
		CheckDestroy: func(*terraform.State) error {
			return every.each("the end", func(r *reading) error { return equal("groups left", r.Groups(), []emulator.Group{}) })
		},
	})
}

func (every *readings) each(does string, check func(*reading) error) error {
	var problems []error
	for _, r := range every.all {
		if err := check(r); err != nil {
			problems = append(problems, fmt.Errorf("%s: %s, with %s: %w", does, r.name, r.does, err))
		}
	}
	return errors.Join(problems...)
}

func (every *readings) testStep(l life) resource.TestStep {
	var config strings.Builder
	config.WriteString(providerBlock("embed", every.all[0].URL()))
	for _, r := range every.all {
		config.WriteString(providerBlock(r.name, r.URL()))
		fmt.Fprintf(&config, "resource \"embed_user_group\" %q {\n  provider = %s\n  user_group_id = \"acme\"\n  %s\n}\n", r.name, r.name, strings.Join(l.lines(r), "\n  "))
		if l.more != nil {
			config.WriteString(l.more(r))
		}
	}
	built := resource.TestStep{
		Config: config.String(),
		PreConfig: func() {
			for _, r := range every.all {
				if l.before != nil {
					l.before(r)
				}
				r.ResetCounts()
			}
		},
		// The plans that come after are part of the step: they are empty, and only look.
		PostApplyFunc: func() {
			if err := every.each(l.does, func(r *reading) error { return r.checkCalls(l.calls(r)) }); err != nil {
				every.t.Error(err)
			}
		},
		ConfigStateChecks: []statecheck.StateCheck{stateCheck{func() error {
			return every.each(l.does, func(r *reading) error {
				if l.then == nil {
					return nil
				}
				return errors.Join(r.checkCalls(l.calls(r)), l.then(r))
			})
		}}},
	}
	if l.step != nil {
		l.step(&built)
	}
	if !built.Destroy {
		for _, r := range every.all {
			built.ConfigStateChecks = append(built.ConfigStateChecks, stateAttributes{r.address(), func() attributes {
				group, _ := r.Group("acme")
				want := attributes{"token": group.Token, "token_fingerprint": fingerprint(group.Token), "team_id": group.TeamID, "name": group.Name, "api_environment_tag": nil}
				if l.tagged || l.calls(r) == "PUT" {
					want["api_environment_tag"] = r.tag()
				}
				return want
			}})
		}
	}
	return built
}

func (r *reading) checkCalls(want string) error {
	var others []string
	for _, call := range r.Calls() {
		if call.Method != "GET" {
			others = append(others, call.Method)
		}
		asksForName := r.options.NameRequired && call.Method == "GET" && strings.Contains(call.Refused, "name is missing")
		if call.Refused != "" && !asksForName {
			return fmt.Errorf("a %s was refused: %s", call.Method, call.Refused)
		}
	}
	return equal("calls that are not lookups", strings.Join(others, ">"), want)
}

func (r *reading) plans(action, unknown string) plancheck.PlanCheck {
	return plans(r.address(), action, unknown)
}

func always(calls string) func(*reading) string { return func(*reading) string { return calls } }

// keepsToken checks that the token is the one that remember or a seed has noted.
func (r *reading) keepsToken() error {
	group, _ := r.Group("acme")
	return equal("token", group.Token, r.token)
}

func (r *reading) remember() error {
	group, _ := r.Group("acme")
	r.token = group.Token
	return nil
}

// A whole life in every reading: after each change there is nothing more to do.
func TestAccEveryReadingLife(t *testing.T) {
	every := everyReading(t)
	first := []string{`name = "Acme"`, `mapping = { main = "warehouse" }`, `properties = jsonencode({ tier = "gold", limits = { rows = 10 } })`, `rotate_token_when_changed = { q = "1" }`}
	renamed := append([]string{`name = "Acme Inc."`}, first[1:]...)
	changed := func(r *reading) []string {
		// What is dropped stays at a service that merges.
		properties := `{ tier = "platinum", more = [1.5] }`
		if r.merges() {
			properties = `{ tier = "platinum", limits = {}, more = [1.5] }`
		}
		return []string{`name = "Acme Inc."`, `mapping = { main = "lake", extra = "warehouse" }`, "properties = jsonencode(" + properties + ")", `rotate_token_when_changed = { q = "1" }`}
	}
	rotated := func(r *reading) []string {
		return append(slices.Clone(changed(r)[:3]), `rotate_token_when_changed = { q = "2" }`)
	}
	every.run(
		life{does: "create", lines: func(*reading) []string { return first }, calls: always(""), then: func(r *reading) error {
			return errors.Join(r.remember(), equal("creations", r.Creations("acme"), 1))
		}},
		life{does: "rename", lines: func(*reading) []string { return renamed }, calls: always("PUT"), tagged: true, then: (*reading).keepsToken},
		life{does: "change", lines: changed, calls: always("PUT"), tagged: true, then: func(r *reading) error {
			group, _ := r.Group("acme")
			return errors.Join(r.keepsToken(), equal("mapping", group.Mapping, map[string]string{"main": "lake", "extra": "warehouse"}))
		}},
		life{does: "rotate", lines: rotated, calls: always("POST"), tagged: true, then: func(r *reading) error {
			if r.keepsToken() == nil {
				return errors.New("the token is the old one")
			}
			return nil
		}},
		life{
			does: "heal what was deleted elsewhere", lines: rotated, before: func(r *reading) { r.Remove("acme") },
			calls: always("DELETE"), then: func(r *reading) error { return equal("creations", r.Creations("acme"), 2) },
		},
		life{
			does: "destroy", lines: rotated, calls: always("DELETE"), step: destroying,
			then: func(r *reading) error { return equal("groups", r.Groups(), []emulator.Group{}) },
		},
	)
}

func (every *readings) seed() {
	for _, r := range every.all {
		r.token = r.Seed(emulator.Group{ID: "acme", Name: "Acme", Mapping: map[string]string{"main": "lake"}, Properties: []byte(`{"tier":"gold"}`)}).Token
	}
}

// Adopting in every reading costs one PUT, and there is nothing more to do.
func TestAccEveryReadingAdoption(t *testing.T) {
	every := everyReading(t)
	every.seed()
	lines := func(*reading) []string {
		return []string{`name = "Acme Inc."`, `mapping = { main = "warehouse" }`, `properties = jsonencode({ tier = "platinum", more = 1 })`, "adopt_existing = true"}
	}
	every.run(
		life{does: "adopt", lines: lines, calls: always("PUT"), tagged: true, then: (*reading).keepsToken},
		life{does: "rename", lines: func(r *reading) []string { return append([]string{`name = "Acme"`}, lines(r)[1:]...) }, calls: always("PUT"), tagged: true, then: (*reading).keepsToken},
	)
}

// Importing in every reading: what the service does not tell is sent once, and there is nothing more to do.
func TestAccEveryReadingImport(t *testing.T) {
	engine.Needs(t, engine.ImportBlock)
	every := everyReading(t)
	every.seed()
	block := func(r *reading) string {
		return fmt.Sprintf("import {\n  provider = %s\n  to = %s\n  id = \"acme\"\n}\n", r.name, r.address())
	}
	lines := func(*reading) []string {
		return []string{`name = "Acme"`, `properties = jsonencode({ tier = "gold" })`, `rotate_token_when_changed = { q = "1" }`}
	}
	var imports []plancheck.PlanCheck
	for _, r := range every.all {
		if r.echoes() {
			imports = append(imports, r.plans("update", "api_environment_tag"))
		} else {
			imports = append(imports, r.plans("update", ""))
		}
	}
	toldOrSent := func(r *reading) string {
		if r.echoes() {
			return "PUT"
		}
		return ""
	}
	every.run(
		life{
			does: "import", lines: lines, more: block, calls: toldOrSent, then: (*reading).keepsToken,
			step: func(s *resource.TestStep) { s.ConfigPlanChecks.PreApply = imports },
		},
		life{does: "manage the mapping too", lines: func(r *reading) []string { return append(lines(r), `mapping = { main = "lake" }`) }, calls: always("PUT"), tagged: true, then: (*reading).keepsToken},
	)
}
