package emulator

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestCommandServesUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	exports, stdout := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		args := strings.Fields("-addr 127.0.0.1:0 -environment my-key=Testing -environment second=")
		code <- Command(ctx, args, stdout, &stderr)
	}()
	printed, err := io.ReadAll(exports) // returns only when standard output is closed
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`^export EMBED_BASE_URL=(http://127\.0\.0\.1:\d+)\nexport EMBED_API_KEY=my-key\n` +
		`# This key opens Testing\.\n# To open an environment without a tag instead:\n` +
		`# export EMBED_API_KEY=second\n$`).FindSubmatch(printed)
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

func TestCommandFails(t *testing.T) {
	t.Parallel()
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
		{"-default-properties plan=free", 2, "must be JSON"},
		{"-id-pattern [", 2, "missing closing"},
		{"-rotation-time long", 2, "rotation-time"},
		{"surplus", 2, "surplus"},
		{"-unheard-of", 2, "unheard-of"},
		{"-h", 0, "-environment"},
		{"-addr 127.0.0.1:0", 1, "could not be written"},
	} {
		var stderr bytes.Buffer
		reader, stdout := io.Pipe()
		_ = reader.Close()
		code := Command(t.Context(), strings.Fields(test.args), stdout, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: code %d, want %d, printed %q", test.args, code, test.code, &stderr)
		}
	}
}

// TestEveryOptionHasItsFlag sets each flag that the help lists, and expects that to change the option of that name.
func TestEveryOptionHasItsFlag(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	_, _ = parse([]string{"-h"}, &help)
	without, _ := parse(nil, io.Discard)
	both := map[string]string{DefaultKey: "Customer", TestingKey: "Testing"}
	want := commandLine{
		Options: Options{Environments: both}, addr: "127.0.0.1:8642",
		keys: []string{DefaultKey, TestingKey},
	}
	if !reflect.DeepEqual(without, want) {
		t.Errorf("without flags %+v", without)
	}
	has := map[string]bool{"log": true}
	for _, flag := range regexp.MustCompile(`(?m)^  -(\S+) ?(?:\S+\|)?(\S*)$`).FindAllStringSubmatch(help.String(), -1) {
		kinds := strings.NewReplacer("duration", "1s", "tag", "Testing", "address", ":0", "status", "500", "ID", "1",
			"characters", "1", "times", "1", "seconds", "1", "groups", "1", "calls", "1", "JSON", "1")
		got, err := parse([]string{"-" + flag[1] + "=" + cmp.Or(kinds.Replace(flag[2]), "true")}, io.Discard)
		if err != nil {
			t.Error(err)
		}
		for i, options := 0, reflect.ValueOf(got.Options); i < options.NumField(); i++ {
			name := strings.ToLower(options.Type().Field(i).Name)
			is := strings.HasPrefix(name, strings.ReplaceAll(flag[1], "-", "")) && !options.Field(i).IsZero()
			has[name] = has[name] || is
		}
	}
	for option, is := range has {
		if !is {
			t.Errorf("%s has no flag", option)
		}
	}
}
