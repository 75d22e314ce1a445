package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestRunServesUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	exports, stdout := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, strings.Fields("-addr 127.0.0.1:0 -environment my-key=Testing"), stdout, &stderr)
	}()
	printed, err := io.ReadAll(exports) // returns only when standard output is closed
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`^export EMBED_BASE_URL=(http://127\.0\.0\.1:\d+)\nexport EMBED_API_KEY=my-key\n$`).
		FindSubmatch(printed)
	if match == nil {
		t.Fatalf("printed %q, logged %s", printed, &stderr)
	}
	got, err := http.Get(string(match[1]) + "/api/user")
	if err != nil || got.StatusCode != http.StatusUnauthorized {
		t.Fatalf("got %v, %v, want status 401", got, err)
	}
	_ = got.Body.Close()
	interrupt()
	if exit := <-code; exit != 0 {
		t.Errorf("exit code %d, want 0", exit)
	}
	line := regexp.MustCompile(`\nGET "" 401 refused "the Authorization header does not contain .*" \d+\.\dms\n$`)
	if log := stderr.String(); !line.MatchString(log) || strings.Contains(log, "my-key") {
		t.Errorf("logged %q", log)
	}
	if _, err := http.Get(string(match[1])); err == nil {
		t.Error("the service still responds")
	}
}

func TestRunFails(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"-addr 0.0.0.0:0", 1, "loopback"},
		{"-addr nonsense", 1, "emulator: address nonsense"},
		{"-answers loud", 2, "stored or echo"},
		{"-environment Production", 2, "Customer, Testing"},
		{"-environment a;b=Testing", 2, "a key may only"},
		{"surplus", 2, "surplus"},
		{"-unheard-of", 2, "unheard-of"},
		{"-h", 0, "-environment"},
		{"-addr 127.0.0.1:0", 1, "could not be written"},
	} {
		var stderr bytes.Buffer
		reader, stdout := io.Pipe()
		_ = reader.Close()
		code := run(t.Context(), strings.Fields(test.args), stdout, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: code %d, want %d, printed %q", test.args, code, test.code, &stderr)
		}
	}
}

func TestEveryOptionHasItsFlag(t *testing.T) {
	got, err := parse(nil, io.Discard)
	want := settings{emulator.Options{}, "127.0.0.1:8642", emulator.DefaultKey}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("without flags %+v, %v", got, err)
	}
	got, err = parse(strings.Fields("-addr [::1]:0 -answers echo -updates clear -refusals success-zero "+
		"-name-required -upsert-on-put -forgiving-deletes -stale-token-status 403 -trim-names -omit team_id "+
		"-omit name -token-lag 2s -environment key=Testing -environment second= -first-team-id 9007199254740993 "+
		"-latency 20ms -rate-limit 5"), io.Discard)
	want = settings{emulator.Options{
		Answers: emulator.AnswersEcho, Updates: emulator.UpdatesClear, Refusals: emulator.RefusalsSuccessZero,
		NameRequired: true, UpsertOnPut: true, ForgivingDeletes: true, StaleTokenStatus: 403,
		TrimNames: true, Omit: []string{"team_id", "name"}, TokenLag: 2 * time.Second,
		Environments: map[string]string{"key": "Testing", "second": ""}, FirstTeamID: 9007199254740993,
		Latency: 20 * time.Millisecond, RateLimit: 5,
	}, "[::1]:0", "key"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("parsed %+v, %v", got, err)
	}
	for i, value := 0, reflect.ValueOf(got.Options); i < value.NumField(); i++ {
		if name := value.Type().Field(i).Name; name != "Log" && value.Field(i).IsZero() {
			t.Errorf("%s has no flag", name)
		}
	}
}
