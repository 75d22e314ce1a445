package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// BenchmarkReadResource is the refresh of one group, with the call to the emulator and its answer: both run in this
// process, so a good part of the time and of the allocations is the emulator's.
func BenchmarkReadResource(b *testing.B) {
	p := protocolStart(b, emulator.Options{ForgetCalls: true})
	state := p.created(protocolAcme())
	request := &tfprotov6.ReadResourceRequest{
		TypeName: protocolType, CurrentState: p.encode(state.value), Private: state.private, CurrentIdentity: state.identity,
	}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := p.server.ReadResource(p.ctx, request)
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatal(err, resp)
		}
	}
}

// BenchmarkPlanResource is the plan of one group without changes.
func BenchmarkPlanResource(b *testing.B) {
	p := protocolStart(b, emulator.Options{ForgetCalls: true})
	state := p.created(protocolAcme())
	encoded := p.encode(state.value)
	request := &tfprotov6.PlanResourceChangeRequest{
		TypeName: protocolType, PriorState: encoded, ProposedNewState: encoded, PriorPrivate: state.private, PriorIdentity: state.identity,
		Config: p.encode(protocolValue(p.typ(), protocolAcme())),
	}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := p.server.PlanResourceChange(p.ctx, request)
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatal(err, resp)
		}
	}
}
