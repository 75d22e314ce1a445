package usergroup_test

import (
	"bytes"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestATagInLookupsIsNoWrongKey: a service with one serializer shows api_environment_tag in each response, and leaves
// out what is false. No environment is expected, so none can be wrong.
func TestATagInLookupsIsNoWrongKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := emulator.New(emulator.Options{OmitZero: true})
		e.Seed(emulator.Group{ID: id, Name: oldName})
		s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
			kept, _ := received(r)
			answer := serve(e, kept)
			if r.Method == http.MethodGet {
				const group = `"user_group":{`
				answer.body = bytes.Replace(answer.body, []byte(group), []byte(group+`"api_environment_tag":"Customer",`), 1)
			}
			return answer.response()
		}), maxRetries, usergroup.Settings{})
		_, err := s.Find(t.Context(), usergroup.Prior{ID: id})
		if err != nil {
			t.Errorf("%v", err)
		}
	})
}
