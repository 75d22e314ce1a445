package api

import (
	"strings"
	"testing"
)

// TestObstacles: the obstacle must follow from the response, and from the methods that have worked before.
func TestObstacles(t *testing.T) {
	t.Parallel()
	const refusal = `{"success":0,"message":"no"}`
	tests := []struct {
		call   anyCall
		status int
		body   string
		worked string // methods by which a call has succeeded, or "asked" if a client certificate was requested
		want   Obstacle
	}{
		// Something in between drops or refuses bodies.
		{get, 400, htmlPage, "", BodyMayBeDropped},
		{get, 405, htmlPage, "", BodyMayBeDropped},
		{get, 411, htmlPage, "", BodyMayBeDropped},
		{remove, 413, "", "GET", BodyMayBeDropped},
		{remove, 415, "no", "GET", BodyMayBeDropped},
		{get, 400, htmlPage, "PUT", BodyDropped},
		{remove, 405, htmlPage, "POST", BodyDropped},
		{get, 403, htmlPage, "PUT", BodyDropped}, // as CloudFront does
		{get, 400, refusal, "", FieldsMayBeDropped},
		{remove, 422, refusal, "GET", FieldsMayBeDropped},
		{get, 400, refusal, "GET", NoObstacle},
		{put, 400, refusal, "", NoObstacle},
		{get, 400, htmlPage, "GET PUT", ForeignResponse},
		{put, 400, htmlPage, "", ForeignResponse},
		{post, 413, htmlPage, "", ForeignResponse},
		// Something in front of the service refuses the call.
		{get, 401, htmlPage, "", RefusedOnTheWay},
		{get, 403, "", "GET", RefusedOnTheWay},
		{get, 401, refusal, "", NoObstacle},
		{get, 403, `{"detail":"no"}`, "", NoObstacle},
		{get, 407, htmlPage, "", ProxyPasswordWanted},
		{get, 200, htmlPage, "", ForeignResponse},
		{get, 200, `{"x":1}`, "", NoObstacle},
		{get, 400, htmlPage, "asked", ClientCertificateWanted},
		{get, 403, htmlPage, "asked GET", RefusedOnTheWay},
		{get, 403, "", "asked", ClientCertificateWanted},
		{get, 401, htmlPage, "asked", RefusedOnTheWay},
		{get, 403, refusal, "asked", NoObstacle},
		// The address may be wrong.
		{get, 404, htmlPage, "", WrongAddress},
		{put, 404, "", "", WrongAddress},
		{get, 404, `{"detail":"no such page"}`, "", WrongAddress},
		{put, 404, refusal, "", NoObstacle},
		{get, 404, htmlPage, "DELETE", ForeignResponse},
		// The kind says enough.
		{get, 429, htmlPage, "", NoObstacle},
		{get, 307, htmlPage, "", NoObstacle},
		{get, 502, htmlPage, "", NoObstacle},
	}
	for _, test := range tests {
		client := newClient(t, "https://service.example.com")
		for _, call := range fourCalls {
			if strings.Contains(test.worked, call.method) {
				_, _ = client.interpret(t, call, reply(200, successJSON))
			}
		}
		client.certificateWanted.Store(strings.Contains(test.worked, "asked"))
		_, failure := client.interpret(t, test.call, reply(test.status, test.body))
		if got := failure.Obstacle; got != test.want {
			const format = "%s %d %q after %q: %d, want %d"
			t.Errorf(format, test.call.method, test.status, test.body, test.worked, got, test.want)
		}
	}
}
