package provider

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

type serverTestKey struct{}

func TestLentContextIsTheOneItWasMadeOf(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Hour)
	inner, cancel := context.WithDeadline(context.WithValue(t.Context(), serverTestKey{}, "value"), deadline)
	defer cancel()
	lent := lend(inner)
	child, cancelChild := context.WithCancel(lent)
	defer cancelChild()
	if got, ok := child.Deadline(); !ok || !got.Equal(deadline) {
		t.Errorf("the deadline is %v, %t", got, ok)
	}
	if got := child.Value(serverTestKey{}); got != "value" {
		t.Errorf("the value is %v", got)
	}
	if err := child.Err(); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	cancel()
	<-child.Done()
	if !errors.Is(child.Err(), context.Canceled) {
		t.Errorf("its error is %v", child.Err())
	}
}

func TestLentContextHoldsNothingOnceTakenBack(t *testing.T) {
	t.Parallel()
	lent := lend(context.WithValue(t.Context(), serverTestKey{}, "value"))
	lent.takeBack()
	if got := lent.Value(serverTestKey{}); got != nil {
		t.Errorf("the value is %v", got)
	}
	if !errors.Is(lent.Err(), context.Canceled) {
		t.Errorf("its error is %v", lent.Err())
	}
	select {
	case <-lent.Done():
	default:
		t.Error("it has not ended")
	}
}

// TestServerLetsGoOfContexts: what a request's context holds can be collected while the provider goes on.
func TestServerLetsGoOfContexts(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolObject{"user_group_id": "acme", "name": "Acme"})
	collected := make(chan struct{})
	func() {
		held := new([1 << 16]byte)
		runtime.AddCleanup(held, func(done chan struct{}) { close(done) }, collected)
		ctx, cancel := context.WithCancel(context.WithValue(p.ctx, serverTestKey{}, held))
		defer cancel()
		if _, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: protocolType, CurrentState: protocolEncode(t, state.value), Private: state.private,
		}); err != nil {
			t.Error(err)
		}
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-collected:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Error("the context is kept after the answer")
}

// TestServerStopsRequests: a stop reaches a request through the context it was lent, so that it does not try again.
func TestServerStopsRequests(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolObject{"user_group_id": "acme", "name": "Acme"})
	p.service.BeforeCall(func(emulator.Call) {
		if _, err := p.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Error(err)
		}
	})
	p.service.Fail(emulator.Fault{Kind: emulator.Unavailable503})
	_, diags := p.read(state)
	if !diags.hasError() {
		t.Error("no error")
	}
	p.wantCalls("GET")
}
