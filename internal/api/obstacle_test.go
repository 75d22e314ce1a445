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
		method string
		status int
		body   string
		worked string // methods by which a call has succeeded, or "asked" if a client certificate was requested
		want   Obstacle
	}{
		// Something in between drops or refuses bodies.
		{"GET", 400, htmlPage, "", BodyMayBeDropped},
		{"GET", 405, htmlPage, "", BodyMayBeDropped},
		{"GET", 411, htmlPage, "", BodyMayBeDropped},
		{"DELETE", 413, "", "GET", BodyMayBeDropped},
		{"DELETE", 415, "no", "GET", BodyMayBeDropped},
		{"GET", 400, htmlPage, "PUT", BodyDropped},
		{"DELETE", 405, htmlPage, "POST", BodyDropped},
		{"GET", 403, htmlPage, "PUT", BodyDropped}, // as CloudFront does
		{"GET", 400, refusal, "", FieldsMayBeDropped},
		{"DELETE", 422, refusal, "GET", FieldsMayBeDropped},
		{"GET", 400, refusal, "GET", NoObstacle},
		{"PUT", 400, refusal, "", NoObstacle},
		{"GET", 400, htmlPage, "GET PUT", ForeignResponse},
		{"PUT", 400, htmlPage, "", ForeignResponse},
		{"POST", 413, htmlPage, "", ForeignResponse},
		// Something in front of the service refuses the call.
		{"GET", 401, htmlPage, "", RefusedOnTheWay},
		{"GET", 403, "", "GET", RefusedOnTheWay},
		{"GET", 401, refusal, "", NoObstacle},
		{"GET", 403, `{"detail":"no"}`, "", NoObstacle},
		{"GET", 407, htmlPage, "", ProxyPasswordWanted},
		{"GET", 200, htmlPage, "", ForeignResponse},
		{"GET", 200, `{"x":1}`, "", NoObstacle},
		{"GET", 400, htmlPage, "asked", ClientCertificateWanted},
		{"GET", 403, htmlPage, "asked GET", RefusedOnTheWay},
		{"GET", 403, "", "asked", ClientCertificateWanted},
		{"GET", 401, htmlPage, "asked", RefusedOnTheWay},
		{"GET", 403, refusal, "asked", NoObstacle},
		// The address may be wrong.
		{"GET", 404, htmlPage, "", WrongAddress},
		{"PUT", 404, "", "", WrongAddress},
		{"GET", 404, `{"detail":"no such page"}`, "", WrongAddress},
		{"PUT", 404, refusal, "", NoObstacle},
		{"GET", 404, htmlPage, "DELETE", ForeignResponse},
		// The kind says enough.
		{"GET", 429, htmlPage, "", NoObstacle},
		{"GET", 307, htmlPage, "", NoObstacle},
		{"GET", 502, htmlPage, "", NoObstacle},
	}
	for _, test := range tests {
		c := testCall(t, test.method)
		for method := range strings.FieldsSeq(test.worked) {
			c.client.count(&call{method: method}, nil)
		}
		c.client.certificateWanted.Store(strings.Contains(test.worked, "asked"))
		_, failure := c.interpret(responseTo(test.status, test.body), []byte(test.body), nil)
		if got := failure.Obstacle; got != test.want {
			t.Errorf("%s %d %q after %q: %d, want %d", test.method, test.status, test.body, test.worked, got, test.want)
		}
	}
	// The client itself records what has worked.
	client := inTurn(ok(successJSON), page(400)).client(t)
	if _, err := fourCalls[1].make(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t.Context(), client); failureOf(t, err).Obstacle != BodyDropped {
		t.Errorf("after an update: %d, want %d", failureOf(t, err).Obstacle, BodyDropped)
	}
}
