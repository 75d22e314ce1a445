package gotest

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	const events = `
{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"    a_test.go:1: chatter\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"    a_test.go:2: it is broken\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad"}
{"Action":"output","Package":"m/a","Test":"TestOld","Output":"    a_test.go:3: this engine is: too old\n"}
{"Action":"output","Package":"m/a","Test":"TestOld","Output":"--- SKIP: TestOld (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestOld"}
{"Action":"skip","Package":"m/a","Test":"TestSilent"}
{"Action":"fail","Package":"m/a","Elapsed":1.25}
{"Action":"output","Package":"m/died","Test":"TestHangs","Output":"=== RUN   TestHangs\n"}
{"Action":"output","Package":"m/died","Test":"TestHangs","Output":"panic: test timed out after 1s\n"}
{"Action":"output","Package":"m/died","Test":"TestHangs","Output":"goroutine 1 [running]:\n"}
{"Action":"output","Package":"m/died","Output":"FAIL\tm/died\t1.0s\n"}
{"Action":"fail","Package":"m/died","Elapsed":1}
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1: undefined: x\n"}
{"Action":"output","Package":"m/b","Output":"FAIL\tm/b [build failed]\n"}
{"Action":"fail","Package":"m/b","FailedBuild":"m/b"}
{"Action":"skip","Package":"m/no-tests"}
`
	const want = `FAIL  m/a TestBad
    a_test.go:2: it is broken
FAIL  m/a                                      1 passed, 1 failed, 2 skipped  1.2 s
FAIL	m/died	1.0s
FAIL  m/died TestHangs did not end
panic: test timed out after 1s
goroutine 1 [running]:
FAIL  m/died                                   0 passed, 1 failed, 0 skipped  1.0 s
b.go:1: undefined: x
FAIL	m/b [build failed]
FAIL  m/b                                      0 passed, 1 failed, 0 skipped  0.0 s

Skipped, this engine is: too old:
  m/a TestOld

Skipped, no reason given:
  m/a TestSilent

1 passed, 3 failed, 2 skipped
`
	var got strings.Builder
	r := NewReport(&got)
	if err := r.Read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

func TestReportOfWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	if err := NewReport(&strings.Builder{}).Read(strings.NewReader("flag provided but not defined")); err == nil {
		t.Error("no error")
	}
}
