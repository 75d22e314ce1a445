package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	sent := GroupRequest{Name: ptr("Acme"), Properties: mustObject(t, `{"a":1,"b":2}`)}
	for name, test := range map[string]struct {
		request  GroupRequest
		response UserGroup
		want     Differences
		any      bool
	}{
		"the same":      {sent, UserGroup{Name: ptr("Acme"), Properties: mustObject(t, `{"b":2.0,"a":1}`)}, Differences{}, false},
		"not shown":     {sent, UserGroup{}, Differences{}, false},
		"not sent":      {GroupRequest{}, UserGroup{Name: ptr("X"), Properties: mustObject(t, `{"x":1}`)}, Differences{}, false},
		"another name":  {sent, UserGroup{Name: ptr("X")}, Differences{Name: true}, true},
		"added":         {sent, UserGroup{Properties: mustObject(t, `{"a":1,"b":2,"c":3}`)}, Differences{Remained: []string{"c"}}, true},
		"another value": {sent, UserGroup{Properties: mustObject(t, `{"a":1,"b":3}`)}, Differences{Changed: []string{"b"}}, true},
		"missing":       {sent, UserGroup{Properties: mustObject(t, `{"a":1}`)}, Differences{Missing: []string{"b"}}, true},
	} {
		got := test.request.Differences(test.response)
		if diff := cmp.Diff(test.want, got); diff != "" || got.Any() != test.any {
			t.Errorf("%s: Any = %t (-want +got):\n%s", name, got.Any(), diff)
		}
	}
}
