package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func TestRunServesUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	exports, stdout := io.Pipe()
	stderr := &lockedBuffer{}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-addr", "127.0.0.1:0", "-environment", "my-key=Testing", "-first-team-id", "77"}, stdout, stderr)
	}()

	// Reading to the end also proves that standard output is closed.
	printed, err := io.ReadAll(exports)
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`^export EMBED_BASE_URL=(http://127\.0\.0\.1:\d+)\nexport EMBED_API_KEY=my-key\n$`).FindSubmatch(printed)
	if match == nil {
		t.Fatalf("printed %q; %s", printed, stderr)
	}
	request, err := http.NewRequest("PUT", string(match[1])+"/api/user", strings.NewReader(`{"user_group_id":"a\nb"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token my-key")
	request.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	if got.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", got.StatusCode)
	}

	interrupt()
	select {
	case exit := <-code:
		if exit != 0 {
			t.Errorf("exit code %d", exit)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it did not end")
	}
	if log := stderr.String(); !strings.Contains(log, "\nPUT \"a\\nb\" 404 ") || strings.Contains(log, "my-key") {
		t.Errorf("logged %q", log)
	}
	if _, err := http.Get(string(match[1])); err == nil {
		t.Error("it still serves")
	}
}

type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (closedOutput) Close() error              { return nil }

type discarded struct{ bytes.Buffer }

func (*discarded) Close() error { return nil }

func TestRunFails(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-addr", "0.0.0.0:0"}, 1, "loopback"},
		{[]string{"-addr", ":0"}, 1, "loopback"},
		{[]string{"-rate-limit", "-1"}, 1, "negative"},
		{[]string{"-answers", "loud"}, 2, "echo, stored"},
		{[]string{"-updates", "never"}, 2, "merge, replace"},
		{[]string{"-refusals", "no"}, 2, "status, success-zero"},
		{[]string{"-environment", "Production"}, 2, "Customer, Testing"},
		{[]string{"-environment", "a;b=Testing"}, 2, "a key is"},
		{[]string{"-environment", "k=Testing", "-environment", "k=Customer"}, 2, "already"},
		{[]string{"surplus"}, 2, "surplus"},
		{[]string{"-unheard-of"}, 2, "unheard-of"},
		{[]string{"-h"}, 0, "-environment"},
	} {
		stdout, stderr := &discarded{}, &lockedBuffer{}
		code := run(t.Context(), test.args, stdout, stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.says) || stdout.Len() > 0 {
			t.Errorf("%v: code %d, want %d; said %q", test.args, code, test.code, stderr)
		}
	}
	stderr := &lockedBuffer{}
	if code := run(t.Context(), []string{"-addr", "127.0.0.1:0"}, closedOutput{}, stderr); code != 1 {
		t.Errorf("unwritable exports: code %d", code)
	}
}

func TestParseSetsEveryOption(t *testing.T) {
	got, err := parse(nil, io.Discard)
	if err != nil || got.addr != "127.0.0.1:8642" || got.key != emulator.DefaultKey || got.options.Environments != nil {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = parse(strings.Fields("-addr [::1]:0 -answers echo -updates merge -refusals success-zero -name-required -upsert-on-put -forgiving-deletes "+
		"-environment Testing -environment second= -first-team-id 9007199254740993 -latency 20ms -rate-limit 5"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o := got.options
	if got.addr != "[::1]:0" || got.key != emulator.DefaultKey || o.Answers != emulator.AnswersEcho || o.Updates != emulator.UpdatesMerge ||
		o.Refusals != emulator.RefusalsSuccessZero || !o.NameRequired || !o.UpsertOnPut || !o.ForgivingDeletes || o.FirstTeamID != 9007199254740993 ||
		o.Latency != 20*time.Millisecond || o.RateLimit != 5 {
		t.Errorf("%+v", got)
	}
	if tag, ok := o.Environments["second"]; !ok || tag != "" || o.Environments[emulator.DefaultKey] != "Testing" || len(o.Environments) != 2 {
		t.Errorf("environments %v", o.Environments)
	}
}
