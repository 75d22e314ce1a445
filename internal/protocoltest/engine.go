package protocoltest

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Plan is a plan as an engine stores it.
type Plan struct {
	Action string
	Prior  State
	// config is the configuration that the provider saw when it planned. What ignore_changes covers has its prior value
	// there, and its configured one in ignored.
	config   Object
	ignored  Object
	planned  tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	Replaces []string
	Diags    Diags
}

// Get returns an attribute of the planned state.
func (plan Plan) Get(attribute string) any { return members(plan.planned)[attribute] }

// Validate validates a configuration, which must not make a call.
func (p *Provider) Validate(config Object) Diags {
	p.T.Helper()
	resp := askQuietly(p, p.Server.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: ResourceType, Config: p.Encode(Value(p.Type(), config)),
	})
	return p.Diagnostics(resp.Diagnostics)
}

// Plan plans in a new walk. A nil configuration plans to destroy. What ignoreChanges names, attributes or elements such
// as mapping.sales, keeps its prior value.
func (p *Provider) Plan(prior State, config Object, ignoreChanges ...string) Plan {
	p.T.Helper()
	p.Walk().WantNone()
	return p.PlanToo(prior, config, ignoreChanges...)
}

// PlanToo validates and plans in the current walk, which must not make a call.
func (p *Provider) PlanToo(prior State, config Object, ignoreChanges ...string) Plan {
	p.T.Helper()
	if config != nil {
		if diags := p.Validate(config); diags.HasError() {
			return Plan{Action: "invalid", Diags: diags}
		}
	}
	ignored := Object{}
	for _, name := range ignoreChanges {
		attribute, element, isElement := strings.Cut(name, ".")
		kept := prior.Get(attribute)
		ignored[attribute] = config[attribute]
		if isElement {
			kept = With(config[attribute].(Object), element, prior.Get(attribute).(Object)[element])
		}
		config = With(config, attribute, kept)
	}
	plan := p.planOnce(prior, config)
	plan.ignored = ignored
	switch {
	case plan.Diags.HasError():
		plan.Action = "refused"
	case config == nil:
		plan.Action = "delete"
	case prior.Value.IsNull():
		plan.Action = "create"
	case len(plan.Replaces) > 0:
		// For a replacement, an engine also plans the creation of the new instance.
		created := p.planOnce(p.Nothing(), config)
		created.Action, created.Prior, created.Replaces = "replace", prior, plan.Replaces
		created.Diags = plan.Diags.and(created.Diags)
		return created
	case plan.planned.Equal(prior.Value):
		plan.Action = "no-op"
	default:
		plan.Action = "update"
	}
	return plan
}

func (p *Provider) planOnce(prior State, config Object) Plan {
	p.T.Helper()
	proposed, wanted := p.Nothing().Value, p.Nothing().Value
	if config != nil {
		wanted = Value(p.Type(), config)
		proposed = Value(p.Type(), proposedState(p.block(), prior.Members(), config))
	}
	resp := askQuietly(p, p.Server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: ResourceType, PriorState: p.Encode(prior.Value), ProposedNewState: p.Encode(proposed),
		Config: p.Encode(wanted), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
	})
	p.isDeferred(resp.Deferred)
	plan := Plan{
		Prior: prior, config: config, private: resp.PlannedPrivate, identity: resp.PlannedIdentity,
		planned: p.Decode(p.Type(), resp.PlannedState), Diags: p.Diagnostics(resp.Diagnostics),
	}
	for _, path := range resp.RequiresReplace {
		plan.Replaces = append(plan.Replaces, path.String())
	}
	if config != nil && !plan.Diags.HasError() {
		for _, fault := range planFaults(p.block(), prior.Members(), config, members(plan.planned)) {
			p.T.Errorf("an engine rejects this plan: %s", fault)
		}
	}
	return plan
}

// Apply applies in a new walk.
func (p *Provider) Apply(plan Plan, known ...Object) (State, Diags) {
	p.T.Helper()
	p.Walk().WantNone()
	return p.ApplyToo(plan, known...)
}

// ApplyToo does in the current walk what an engine does with an accepted plan. It plans again with the values that
// are known by now, compares that plan with the first one, applies it, and compares the result with the plan. known
// replaces a configuration that had unknown values.
func (p *Provider) ApplyToo(plan Plan, known ...Object) (State, Diags) {
	p.T.Helper()
	config := plan.config
	for _, better := range known {
		config = better
	}
	switch plan.Action {
	case "no-op":
		return plan.Prior, plan.Diags
	case "invalid", "refused":
		p.T.Fatalf("a plan that failed cannot be applied:\n%s", plan.Diags)
	case "delete":
		return p.applyOnce(plan.Prior, plan)
	case "replace":
		gone, diags := p.ApplyDeletion(plan.Prior)
		if diags.HasError() {
			return gone, diags
		}
		plan.Prior = p.Nothing()
	}
	final := p.planOnce(plan.Prior, config)
	if final.Diags.HasError() {
		return plan.Prior, final.Diags
	}
	p.wantKept("an inconsistent final plan", plan.planned, final.planned)
	// At apply, the provider sees the configured values in spite of ignore_changes.
	final.config = With(final.config, plan.ignored)
	return p.applyOnce(plan.Prior, final)
}

// ApplyDeletion deletes without planning, as engines do with -replace and for a tainted resource.
func (p *Provider) ApplyDeletion(prior State) (State, Diags) {
	p.T.Helper()
	return p.applyOnce(prior, Plan{planned: p.Nothing().Value, private: prior.Private, identity: prior.Identity})
}

func (p *Provider) applyOnce(prior State, plan Plan) (State, Diags) {
	p.T.Helper()
	config := p.Nothing().Value
	if plan.config != nil {
		config = Value(p.Type(), plan.config)
	}
	resp := ask(p, p.Server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: ResourceType, PriorState: p.Encode(prior.Value), PlannedState: p.Encode(plan.planned),
		Config: p.Encode(config), PlannedPrivate: plan.private, PlannedIdentity: plan.identity,
	})
	diags := p.Diagnostics(resp.Diagnostics)
	state := p.state(resp.NewState, resp.Private, resp.NewIdentity)
	if diags.HasError() {
		// Engines taint the instance that a failed creation leaves, so the next run would destroy the group.
		switch updates := !prior.Value.IsNull() && plan.config != nil; {
		case updates && state.Value.IsNull():
			p.T.Errorf("a failed update removed the group from the state:\n%s", diags)
		case !updates:
			p.WantSame(state, prior)
		}
		return state, diags
	}
	p.wantKept("an inconsistent result after apply", plan.planned, state.Value)
	if !state.Value.IsNull() {
		p.WantIdentity(state.Identity, state.Get("user_group_id"))
	}
	return state, diags
}

// Update plans and applies a configuration, as a run does. If that succeeds, the next plan must be empty.
func (p *Provider) Update(prior State, config Object) (State, Diags) {
	p.T.Helper()
	state, diags := p.Apply(p.Plan(prior, config))
	if !diags.HasError() {
		p.WantSettled(state, config)
	}
	return state, diags
}

// Create and Destroy do the same for a group that is to be created or destroyed. Updated, Created, WantDestroyed and
// Refreshed end the test if there are diagnostics. Created also resets the counts of calls.

func (p *Provider) Create(config Object) (State, Diags) {
	p.T.Helper()
	return p.Update(p.Nothing(), config)
}

func (p *Provider) Destroy(prior State) (State, Diags) {
	p.T.Helper()
	return p.Apply(p.Plan(prior, nil))
}
func (p *Provider) WantDestroyed(state State)   { p.T.Helper(); Silent(p.Destroy(state)) }
func (p *Provider) Refreshed(state State) State { p.T.Helper(); return Silent(p.Read(state)) }

func (p *Provider) Updated(prior State, config Object) State {
	p.T.Helper()
	return Silent(p.Update(prior, config))
}

func (p *Provider) Created(config Object) State {
	p.T.Helper()
	defer p.Service.ResetCounts()
	return p.Updated(p.Nothing(), config)
}

// WantSettled checks that the plan has no changes and no diagnostics.
func (p *Provider) WantSettled(state State, config Object) {
	p.T.Helper()
	plan := p.Plan(state, config)
	plan.Diags.WantNone()
	if plan.Action != "no-op" {
		p.T.Errorf("the plan is to %s, want none: %s", plan.Action, changes(state.Value, plan.planned))
	}
}

// Read refreshes in a new walk. If that fails, it returns the old state, as an engine keeps it.
func (p *Provider) Read(state State) (State, Diags) {
	p.T.Helper()
	p.Walk().WantNone()
	return p.ReadToo(state)
}

// ReadToo refreshes in the current walk.
func (p *Provider) ReadToo(state State) (State, Diags) {
	p.T.Helper()
	resp := ask(p, p.Server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: ResourceType, CurrentState: p.Encode(state.Value), Private: state.Private, CurrentIdentity: state.Identity,
	})
	diags := p.Diagnostics(resp.Diagnostics)
	if !p.isDeferred(resp.Deferred) {
		p.WantIdentity(resp.NewIdentity, state.Get("user_group_id"))
	}
	if diags.HasError() {
		return state, diags
	}
	return p.state(resp.NewState, resp.Private, resp.NewIdentity), diags
}

// Importing imports a group by ID or, if the ID is empty, by identity, in the current walk. It does not refresh the
// imported state.
func (p *Provider) Importing(id string, identity Object) (State, Diags) {
	p.T.Helper()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: ResourceType, ID: id}
	if identity != nil {
		req.Identity = &tfprotov6.ResourceIdentityData{IdentityData: p.Encode(Value(identityType, identity))}
	}
	resp := ask(p, p.Server.ImportResourceState, req)
	diags := p.Diagnostics(resp.Diagnostics)
	if p.isDeferred(resp.Deferred) || diags.HasError() {
		return p.Nothing(), diags
	}
	one := resp.ImportedResources[0]
	return p.state(one.State, one.Private, one.Identity), diags
}

// Imported imports a group by ID and refreshes it, as in a plan with an import block. It ends the test if there are
// diagnostics, and resets the counts of calls.
func (p *Provider) Imported(id string) State {
	p.T.Helper()
	p.Walk().WantNone()
	defer p.Service.ResetCounts()
	return Silent(p.ReadToo(Silent(p.Importing(id, nil))))
}

// Computed returns the names of the attributes that only the provider sets.
func (p *Provider) Computed() (names []string) {
	for _, attribute := range p.block().Attributes {
		if attribute.Computed {
			names = append(names, attribute.Name)
		}
	}
	return names
}

// Configurable returns the names of the attributes that a configuration can set.
func (p *Provider) Configurable() (names []string) {
	for _, attribute := range p.block().Attributes {
		if !attribute.Computed {
			names = append(names, attribute.Name)
		}
	}
	return names
}
