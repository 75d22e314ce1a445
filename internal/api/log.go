package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

func (c *call) log(
	ctx context.Context, number int, response *http.Response, body []byte, failure *Error, took time.Duration,
) {
	fields := map[string]any{
		"method": c.method, "user_group_id": c.id, "attempt": number, "took_ms": took.Milliseconds(),
	}
	if response != nil {
		fields["status"] = response.StatusCode
	}
	if failure != nil {
		fields["failure"] = failure.Reason
		if failure.RetryAfter > c.client.config.RetryWaitMax {
			tflog.Warn(ctx, "The service asked for a wait longer than the maximum", map[string]any{
				"retry_after": failure.RetryAfter.String(), "longest_wait": c.client.config.RetryWaitMax.String(),
			})
		}
	}
	tflog.Debug(ctx, "Called the user group service", fields)
	tflog.Trace(ctx, "Bodies of the call, secrets masked", map[string]any{
		"method": c.method, "user_group_id": c.id, "request": loggedBody{c, c.body}, "response": loggedBody{c, body},
	})
}

// loggedBody is a body for the TRACE log. The masked text is only computed if a logger formats it.
type loggedBody struct {
	call *call
	body []byte
}

// MarshalText implements encoding.TextMarshaler, for loggers that write JSON.
func (b loggedBody) MarshalText() ([]byte, error) { return []byte(b.text()), nil }

// Format implements fmt.Formatter for all other loggers. No verb prints the raw bytes.
func (b loggedBody) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.text()) }

func (b loggedBody) text() string {
	if len(b.body) == 0 {
		return "(none)"
	}
	secrets := append(tokensIn(b.body), b.call.secret)
	text, _, err := masked(b.body, func(text string) string { return b.call.client.conceal(text, secrets...) })
	if err != nil || !strings.HasPrefix(text, "{") {
		return "(" + strconv.Itoa(len(b.body)) + " bytes that cannot be read as a JSON object)"
	}
	return text
}
