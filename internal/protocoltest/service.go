package protocoltest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// StartService starts an emulator that stops when the test ends.
func StartService(t testing.TB, options emulator.Options) *emulator.Emulator {
	t.Helper()
	service, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	return service
}

// InProcess is an http.RoundTripper that hands requests to an emulator without a network, so that they take virtual
// time in a synctest bubble.
type InProcess struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (p InProcess) RoundTrip(r *http.Request) (response *http.Response, err error) {
	// Without a connection, the client would conclude that nothing was sent.
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	defer func() {
		if cut := recover(); cut != nil {
			response, err = nil, errors.New("the connection was cut")
		}
	}()
	recorder := httptest.NewRecorder()
	p.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// WantGroups checks that the service has exactly these groups, sorted by ID.
func WantGroups(t *testing.T, service *emulator.Emulator, want []string) {
	t.Helper()
	var got []string
	for _, group := range service.Groups() {
		got = append(got, group.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the service has the groups %q, want %q", got, want)
	}
}

// IsPreflight reports whether a call is about the group with which the provider tests the service.
func IsPreflight(call emulator.Call) bool {
	return strings.HasPrefix(call.ID, "tf") && len(call.ID) == 12
}

// Fingerprint computes the fingerprint independently of the provider, so that it cannot change unnoticed.
func Fingerprint(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])[:12]
}
