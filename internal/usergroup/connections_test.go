package usergroup_test

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestSurplusResponses: if a service sends each response twice, ten workers that share connections must not believe a
// response to another call. A lookup or a creation may fail, but only while calls still share connections.
func TestSurplusResponses(t *testing.T) {
	t.Parallel()
	const few = 2 * workers
	for operation, mostFailed := range map[string]int64{
		"refresh": few, "import": few, "create": few, "adopt": few,
		"update": 0, "rotate": 0, "delete": 0,
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			e, err := emulator.Start(emulator.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(e.Close)
			e.Fail(emulator.Fault{Kind: emulator.AnswerTwice})
			base, _ := url.Parse(e.URL())
			service := usergroup.New(api.New(api.Config{
				BaseURL: base, APIKey: api.NewSecret(emulator.DefaultKey), RequestTimeout: requestTimeout,
				MaxRetries: maxRetries, RetryWaitMin: time.Millisecond, RetryWaitMax: 10 * time.Millisecond,
			}), "")
			do := runOperationCalled(operation)
			next := make(chan emulator.Group)
			var pool sync.WaitGroup
			var failed atomic.Int64
			for range workers {
				pool.Go(func() {
					for group := range next {
						result, err := do.do(t.Context(), service, knownOf(group))
						if err != nil {
							failed.Add(1)
						} else if wrong := compare(e, operation, group.ID, result); wrong != nil {
							t.Errorf("%s: %v", group.ID, wrong)
						}
					}
				})
			}
			for i := range 400 {
				group := e.Seed(emulator.Group{ID: fmt.Sprintf("group-%03d", i), Name: oldName})
				if !do.exists {
					e.Remove(group.ID)
				}
				next <- group
			}
			close(next)
			pool.Wait()
			if failed.Load() > mostFailed {
				t.Errorf("%d operations failed, want at most %d", failed.Load(), mostFailed)
			}
		})
	}
}

// compare compares the result of an operation that has succeeded with what the service has done.
func compare(e *emulator.Emulator, operation, id string, result usergroup.Result) error {
	group, there := e.Group(id)
	switch {
	case operation == "delete" && there:
		return errors.New("the deletion was not carried out")
	case operation == "delete":
		return nil
	case !there:
		return errors.New("the service does not have the group")
	case !result.Group.Token.IsZero() && result.Group.Token.Reveal() != group.Token:
		return errors.New("the result has a token that is not the group's")
	case (operation == "update" || operation == "adopt") && group.Name != newName:
		return errors.New("the update was not carried out")
	case operation == "rotate" && e.Rotations(id) != 1:
		return fmt.Errorf("the token was rotated %d times", e.Rotations(id))
	default:
		return nil
	}
}
