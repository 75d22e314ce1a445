package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRemoteState(t *testing.T) {
	t.Parallel()
	s, err := startRemoteState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	ask := func(method, body string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(said)
	}
	if status, _ := ask(http.MethodGet, ""); status != http.StatusNotFound {
		t.Errorf("a state before there is one: %d", status)
	}
	ask(http.MethodPost, `{"serial":1}`)
	if status, state := ask(http.MethodGet, ""); status != http.StatusOK || state != `{"serial":1}` {
		t.Error(status, state)
	}
}
