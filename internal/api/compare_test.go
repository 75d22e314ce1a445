package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	sent := GroupRequest{Name: ptr("Acme"), Properties: mustObject(t, `{"a":1,"b":2}`)}
	has := func(properties string) UserGroup { return UserGroup{Properties: mustObject(t, properties)} }
	for name, test := range map[string]struct {
		request  GroupRequest
		response UserGroup
		want     Differences
	}{
		"the same":      {sent, UserGroup{Name: ptr("Acme"), Properties: mustObject(t, `{"b":2.0,"a":1}`)}, Differences{}},
		"not shown":     {sent, UserGroup{}, Differences{}},
		"not sent":      {GroupRequest{}, UserGroup{Name: ptr("X"), Properties: sent.Properties}, Differences{}},
		"another name":  {sent, UserGroup{Name: ptr("X")}, Differences{Name: true}},
		"added":         {sent, has(`{"a":1,"b":2,"c":3}`), Differences{Remained: []string{"c"}}},
		"another value": {sent, has(`{"a":1,"b":3}`), Differences{Changed: []string{"b"}}},
		"missing":       {sent, has(`{"a":1}`), Differences{Missing: []string{"b"}}},
	} {
		got := test.request.Differences(test.response)
		if diff := cmp.Diff(test.want, got); diff != "" || got.Any() != !cmp.Equal(got, Differences{}) {
			t.Errorf("%s: Any = %t (-want +got):\n%s", name, got.Any(), diff)
		}
	}
}
