package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// protocolPlan is a plan as an engine stores it.
type protocolPlan struct {
	action string
	prior  protocolState
	// config is the configuration that the provider saw when it planned. For attributes in ignore_changes, config has
	// the prior values, and ignored has the configured ones.
	config   protocolObject
	ignored  protocolObject
	planned  tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	replaces []string
	diags    protocolDiags
}

func (plan protocolPlan) get(attribute string) any { return protocolMembers(plan.planned)[attribute] }

// wantNoCallBy returns a function that checks that there was no call since wantNoCallBy.
func (p *protocol) wantNoCallBy(what string) (check func()) {
	if p.service == nil {
		return func() {}
	}
	before := len(p.service.Calls())
	return func() {
		p.t.Helper()
		if len(p.service.Calls()) > before {
			p.t.Errorf("%s made a call", what)
		}
	}
}

func (p *protocol) validate(config protocolObject) protocolDiags {
	p.t.Helper()
	defer p.wantNoCallBy("validation")()
	resp, err := p.server.ValidateResourceConfig(p.ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: protocolType, Config: p.encode(protocolValue(p.typ(), config)),
	})
	p.must(err)
	return p.diagnostics(resp.Diagnostics)
}

// plan plans in a new walk. A nil configuration plans to destroy. Attributes in ignoreChanges keep their prior
// values.
func (p *protocol) plan(prior protocolState, config protocolObject, ignoreChanges ...string) protocolPlan {
	p.t.Helper()
	p.walk().wantNone()
	return p.planToo(prior, config, ignoreChanges...)
}

// planToo validates and plans in the current walk, which must not make a call.
func (p *protocol) planToo(prior protocolState, config protocolObject, ignoreChanges ...string) protocolPlan {
	p.t.Helper()
	if config != nil {
		if diags := p.validate(config); diags.hasError() {
			return protocolPlan{action: "invalid", diags: diags}
		}
	}
	ignored := protocolObject{}
	for _, attribute := range ignoreChanges {
		ignored[attribute] = config[attribute]
		config = protocolWith(config, attribute, prior.get(attribute))
	}
	plan := p.planOnce(prior, config)
	plan.ignored = ignored
	switch {
	case plan.diags.hasError():
		plan.action = "refused"
	case config == nil:
		plan.action = "delete"
	case prior.value.IsNull():
		plan.action = "create"
	case len(plan.replaces) > 0:
		// For a replacement, an engine also plans the creation of the new instance.
		created := p.planOnce(p.nothing(), config)
		created.action, created.prior, created.replaces = "replace", prior, plan.replaces
		created.diags = plan.diags.and(created.diags)
		return created
	case plan.planned.Equal(prior.value):
		plan.action = "no-op"
	default:
		plan.action = "update"
	}
	return plan
}

func (p *protocol) planOnce(prior protocolState, config protocolObject) protocolPlan {
	p.t.Helper()
	defer p.wantNoCallBy("planning")()
	proposed, wanted := p.nothing().value, p.nothing().value
	if config != nil {
		wanted = protocolValue(p.typ(), config)
		proposed = protocolValue(p.typ(), protocolProposed(p.block(), prior.members(), config))
	}
	resp, err := p.server.PlanResourceChange(p.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: protocolType, PriorState: p.encode(prior.value), ProposedNewState: p.encode(proposed),
		Config: p.encode(wanted), PriorPrivate: prior.private, PriorIdentity: prior.identity,
	})
	p.must(err)
	plan := protocolPlan{
		prior: prior, config: config, private: resp.PlannedPrivate, identity: resp.PlannedIdentity,
		planned: p.decode(p.typ(), resp.PlannedState), diags: p.diagnostics(resp.Diagnostics),
	}
	for _, path := range resp.RequiresReplace {
		plan.replaces = append(plan.replaces, path.String())
	}
	if config != nil && !plan.diags.hasError() {
		for _, fault := range protocolPlanFaults(p.block(), prior.members(), config, protocolMembers(plan.planned)) {
			p.t.Errorf("an engine rejects this plan: %s", fault)
		}
	}
	return plan
}

// apply applies in a new walk.
func (p *protocol) apply(plan protocolPlan, known ...protocolObject) (protocolState, protocolDiags) {
	p.t.Helper()
	p.walk().wantNone()
	return p.applyToo(plan, known...)
}

// applyToo does in the current walk what an engine does with an accepted plan. It plans again with the values that
// are known by now, compares that plan with the first one, applies it, and compares the result with the plan. known
// replaces a configuration that had unknown values.
func (p *protocol) applyToo(plan protocolPlan, known ...protocolObject) (protocolState, protocolDiags) {
	p.t.Helper()
	config := plan.config
	for _, better := range known {
		config = better
	}
	switch plan.action {
	case "no-op":
		return plan.prior, plan.diags
	case "invalid", "refused":
		p.t.Fatalf("a plan that failed cannot be applied:\n%s", plan.diags)
	case "delete":
		return p.applyOnce(plan.prior, plan)
	case "replace":
		gone, diags := p.applyDeletion(plan.prior)
		if diags.hasError() {
			return gone, diags
		}
		plan.prior = p.nothing()
	}
	final := p.planOnce(plan.prior, config)
	if final.diags.hasError() {
		return plan.prior, final.diags
	}
	for _, broken := range protocolBroken("resource", protocolPlain(plan.planned), protocolPlain(final.planned)) {
		p.t.Errorf("an engine reports an inconsistent final plan: %s", broken)
	}
	// At apply, the provider sees the configured values in spite of ignore_changes.
	final.config = protocolWith(final.config, plan.ignored)
	return p.applyOnce(plan.prior, final)
}

// applyDeletion deletes without planning, as engines do in a replacement. Before version 1.3, they always did.
func (p *protocol) applyDeletion(prior protocolState) (protocolState, protocolDiags) {
	p.t.Helper()
	return p.applyOnce(prior, protocolPlan{planned: p.nothing().value, private: prior.private, identity: prior.identity})
}

func (p *protocol) applyOnce(prior protocolState, plan protocolPlan) (protocolState, protocolDiags) {
	p.t.Helper()
	config := p.nothing().value
	if plan.config != nil {
		config = protocolValue(p.typ(), plan.config)
	}
	resp, err := p.server.ApplyResourceChange(p.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: protocolType, PriorState: p.encode(prior.value), PlannedState: p.encode(plan.planned),
		Config: p.encode(config), PlannedPrivate: plan.private, PlannedIdentity: plan.identity,
	})
	p.must(err)
	diags := p.diagnostics(resp.Diagnostics)
	state := protocolState{value: p.decode(p.typ(), resp.NewState), private: resp.Private, identity: resp.NewIdentity}
	if !state.value.IsFullyKnown() {
		p.t.Errorf("an engine reports unknown values after apply: %v", state.members())
	}
	if diags.hasError() {
		if state.value.IsNull() && !prior.value.IsNull() && plan.config != nil {
			p.t.Errorf("a failed update removed the group from the state:\n%s", diags)
		}
		return state, diags
	}
	for _, broken := range protocolBroken("resource", protocolPlain(plan.planned), protocolPlain(state.value)) {
		p.t.Errorf("an engine reports an inconsistent result after apply: %s", broken)
	}
	if !state.value.IsNull() {
		p.wantIdentity(state.identity, state.get("user_group_id"))
	}
	return state, diags
}

// create, update and destroy plan and apply, as a run does.
func (p *protocol) create(config protocolObject) (protocolState, protocolDiags) {
	p.t.Helper()
	return p.update(p.nothing(), config)
}

func (p *protocol) update(prior protocolState, config protocolObject) (protocolState, protocolDiags) {
	p.t.Helper()
	return p.apply(p.plan(prior, config))
}

func (p *protocol) destroy(prior protocolState) (protocolState, protocolDiags) {
	p.t.Helper()
	return p.apply(p.plan(prior, nil))
}

// updated is update, but fails the test if there are diagnostics.
func (p *protocol) updated(prior protocolState, config protocolObject) protocolState {
	p.t.Helper()
	state, diags := p.update(prior, config)
	diags.wantNone()
	return state
}

// created returns the state of a group that an earlier run has created without diagnostics. It resets the counts of
// calls.
func (p *protocol) created(config protocolObject) protocolState {
	p.t.Helper()
	state := p.updated(p.nothing(), config)
	p.wantSettled(state, config)
	p.service.ResetCounts()
	return state
}

// wantDestroyed checks that destroying the group causes no diagnostics and leaves no state.
func (p *protocol) wantDestroyed(state protocolState) {
	p.t.Helper()
	gone, diags := p.destroy(state)
	diags.wantNone()
	p.wantNoState(gone)
}

// wantSettled checks that the plan has no changes and no diagnostics.
func (p *protocol) wantSettled(state protocolState, config protocolObject) {
	p.t.Helper()
	plan := p.plan(state, config)
	plan.diags.wantNone()
	if plan.action != "no-op" {
		changes := protocolBroken("resource", protocolPlain(state.value), protocolPlain(plan.planned))
		p.t.Errorf("the plan is to %s, want none: %v", plan.action, changes)
	}
}

// read refreshes in a new walk. If that fails, it returns the old state, as an engine keeps it.
func (p *protocol) read(state protocolState) (protocolState, protocolDiags) {
	p.t.Helper()
	p.walk().wantNone()
	return p.readToo(state)
}

// readToo refreshes in the current walk.
func (p *protocol) readToo(state protocolState) (protocolState, protocolDiags) {
	p.t.Helper()
	resp, err := p.server.ReadResource(p.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: protocolType, CurrentState: p.encode(state.value), Private: state.private, CurrentIdentity: state.identity,
	})
	p.must(err)
	diags := p.diagnostics(resp.Diagnostics)
	p.wantIdentity(resp.NewIdentity, state.get("user_group_id"))
	if diags.hasError() {
		return state, diags
	}
	read := protocolState{value: p.decode(p.typ(), resp.NewState), private: resp.Private, identity: resp.NewIdentity}
	if !read.value.IsFullyKnown() {
		p.t.Errorf("an engine reports unknown values after refresh: %v", read.members())
	}
	return read, diags
}

// refreshed is read, but fails the test if there are diagnostics.
func (p *protocol) refreshed(state protocolState) protocolState {
	p.t.Helper()
	read, diags := p.read(state)
	diags.wantNone()
	return read
}

// importing imports a group by ID or, if the ID is empty, by identity. It does not refresh the imported state.
func (p *protocol) importing(id string, identity protocolObject) (protocolState, protocolDiags) {
	p.t.Helper()
	p.walk().wantNone()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: protocolType, ID: id}
	if identity != nil {
		req.Identity = &tfprotov6.ResourceIdentityData{IdentityData: p.encode(protocolValue(protocolIdentityType, identity))}
	}
	resp, err := p.server.ImportResourceState(p.ctx, req)
	p.must(err)
	diags := p.diagnostics(resp.Diagnostics)
	if diags.hasError() {
		return p.nothing(), diags
	}
	one := resp.ImportedResources[0]
	return protocolState{value: p.decode(p.typ(), one.State), private: one.Private, identity: one.Identity}, diags
}

// importAndRead imports a group by ID and refreshes it.
func (p *protocol) importAndRead(id string) (protocolState, protocolDiags) {
	p.t.Helper()
	state, diags := p.importing(id, nil)
	diags.wantNone()
	return p.readToo(state)
}

// imported is importAndRead, but fails the test if there are diagnostics.
func (p *protocol) imported(id string) protocolState {
	p.t.Helper()
	state, diags := p.importAndRead(id)
	diags.wantNone()
	return state
}

// configurable returns the names of the attributes that a configuration can set, sorted.
func (p *protocol) configurable() []string {
	return protocolAttributes(p.block(), func(a *tfprotov6.SchemaAttribute) bool { return !a.Computed })
}

// protocolAttributes returns the names of the attributes that satisfy the condition, sorted.
func protocolAttributes(
	block *tfprotov6.SchemaBlock, condition func(*tfprotov6.SchemaAttribute) bool,
) (names []string) {
	for _, attribute := range block.Attributes {
		if condition(attribute) {
			names = append(names, attribute.Name)
		}
	}
	slices.Sort(names)
	return names
}
