package api

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// A response that arrives incomplete shows a new token. Go services that set no Content-Type send text/plain, and so do
// programs that print a warning before the document.
func TestTokensInIncompleteResponses(t *testing.T) {
	t.Parallel()
	const token = "ugt_NEW4711"
	for name, body := range map[string]string{
		"cut short": `{"success":1,"user_group":{"team_id":1001,"token":"` + token + `","name":"Ac`,
		"a warning before it": "Warning: undefined index\n" +
			`{"success":1,"user_group":{"team_id":1001,"token":"` + token + `"}}`,
		"quoted by a gateway": `{"message":"bad response of upstream: ` +
			`{\"success\":1,\"user_group\":{\"token\":\"` + token + `\"}}"}`,
		"a value printed by Go": `cannot encode {TeamID:1001 Token:` + token + `}`,
	} {
		for _, status := range []int{200, 502} {
			t.Run(fmt.Sprint(name, status), func(t *testing.T) {
				t.Parallel()
				var log bytes.Buffer
				ctx := tflogtest.RootLogger(t.Context(), &log)
				client := newClient(inTurn(reply(status, body, "Content-Type", "text/plain; charset=utf-8")))
				request := TokenRequest{CurrentToken: NewSecret("ugt_OLD1"), UserGroupID: "acme"}
				_, failure := client.Begin(nil).Once().Rotate(ctx, request)
				if strings.Contains(failure.Message, token) {
					t.Errorf("%d: the error shows the new token: %s", status, failure.Said())
				}
				if strings.Contains(log.String(), token) {
					t.Errorf("%d: so does the log: %s", status, log.String()[:min(300, log.Len())])
				}
			})
		}
	}
}
