package script

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// behind creates, deletes or rotates a group, as another client of the service would.
func (f *fixture) behind(_ bool, args []string) {
	switch args[0] {
	case "create":
		f.service.Seed(emulator.Group{ID: args[1], Name: args[2]})
	case "delete":
		f.service.Remove(args[1])
	default:
		f.service.RotateBehind(args[1])
	}
}

// group fails the script unless the service has the group. With neg, the group must not exist.
func (f *fixture) group(neg bool, args []string) {
	if _, exists := f.service.Group(args[0]); exists == neg {
		f.Fatalf("the group %s exists: %t", args[0], exists)
	}
}

// late is how late the responses of the fault delay are, without its option delay.
const late = 100 * time.Millisecond

// fault makes the next matching call go wrong. The option lasting chooses every such call until repair. The fault
// answer responds with status 503 and the header that retry-after sets.
func (f *fixture) fault(_ bool, args []string) {
	fault := emulator.Fault{
		Method: strings.TrimPrefix(args[0], "any"), Kind: emulator.FaultKind(args[1]), Nth: 1, Delay: late,
		Status: http.StatusServiceUnavailable,
	}
	for _, text := range args[2:] {
		switch option, value, _ := strings.Cut(text, "="); option {
		case "lasting":
			fault.Nth = 0
		case "id":
			fault.ID = value
		case "delay":
			delay, err := time.ParseDuration(value)
			f.Check(err)
			fault.Delay = delay
		case "retry-after":
			fault.Header = http.Header{"Retry-After": {value}}
		default:
			f.Fatalf("a fault has no option %s", option)
		}
	}
	f.service.Fail(fault)
}

// storm makes one call in ten go wrong, with every kind of fault that retries can overcome. It strikes at most two
// calls in a row with the same method and group.
func (f *fixture) storm(bool, []string) {
	seed := cmp.Or(os.Getenv("EMBED_TEST_STORM_SEED"), strconv.FormatInt(time.Now().UnixNano(), 10))
	f.Logf("EMBED_TEST_STORM_SEED=%s repeats this storm", seed)
	kinds := []emulator.FaultKind{
		emulator.CutAfterWork, emulator.CutBefore, emulator.CutInDocument, emulator.HalfDocument,
		emulator.Error500AfterWork, emulator.Unavailable503, emulator.TooMany429, emulator.HTML200, emulator.Delay,
	}
	var mu sync.Mutex
	calls, streak := map[string]int{}, map[string]int{}
	f.service.BeforeCall(func(call emulator.Call) {
		mu.Lock()
		defer mu.Unlock()
		// Each method and group has a separate sequence, so that a seed gives the same faults in any order of calls.
		lane := call.Method + " " + call.ID
		calls[lane]++
		draw := sha256.Sum256(fmt.Append(nil, seed, lane, calls[lane]))
		if streak[lane]++; draw[0]%10 > 0 || streak[lane] > 2 {
			streak[lane] = 0
			return
		}
		kind := kinds[int(draw[1])%len(kinds)]
		f.service.Fail(emulator.Fault{Method: call.Method, ID: call.ID, Nth: 1, Kind: kind, Delay: late})
	})
}

// repair ends all faults, including a storm.
func (f *fixture) repair(bool, []string) {
	f.service.BeforeCall(nil)
	f.service.ClearFaults()
}

// calls fails the script unless the calls since the last check, either all calls or those for one group, are as
// expected, in this order.
func (f *fixture) calls(_ bool, args []string) {
	f.service.WaitIdle()
	all := f.service.Calls()
	since := slices.DeleteFunc(all[f.checked:], func(call emulator.Call) bool {
		return len(args) > 1 && call.ID != args[0]
	})
	f.checked = len(all)
	if got, want := inWords(since), args[len(args)-1]; got != want {
		f.Fatalf("the service was asked for\n  %s\nand not for\n  %s", got, want)
	}
}

// inWords returns the calls as text, for example "2 GET > POST/rotated". All calls of a preflight are one word.
func inWords(calls []emulator.Call) string {
	var words []string
	same := 0
	for i, call := range calls {
		same++
		text := word(call)
		if i+1 < len(calls) && word(calls[i+1]) == text {
			continue
		}
		if same > 1 && text != preflight {
			text = fmt.Sprint(same, " ", text)
		}
		words, same = append(words, text), 0
	}
	return cmp.Or(strings.Join(words, " > "), "nothing")
}

const preflight = "preflight"

var preflightID = regexp.MustCompile(`^tf[a-z2-7]{10}$`)

// isPreflight reports whether a call is about the group with which the provider tests the service.
func isPreflight(call emulator.Call) bool { return preflightID.MatchString(call.ID) }

// word returns the method of a call and, if the call changed a group, what it did.
func word(call emulator.Call) string {
	switch {
	case isPreflight(call):
		return preflight
	case call.Did() != "":
		return call.Method + "/" + call.Did()
	}
	return call.Method
}

// asked fails the script unless the service received this number of such calls since the script began.
func (f *fixture) asked(_ bool, args []string) {
	f.service.WaitIdle()
	if got := f.count(args[0]); strconv.Itoa(got) != args[1] {
		f.Fatalf("the service received %d such calls", got)
	}
}

// count returns the number of calls such as POST or POST/rotated, except those of a preflight.
func (f *fixture) count(what string) (n int) {
	for _, call := range f.service.Calls() {
		if got := word(call); got == what || got != preflight && call.Method == what {
			n++
		}
	}
	return n
}

// until waits until the service has worked on a number of calls such as POST/rotated.
func (f *fixture) until(_ bool, args []string) {
	number, err := strconv.Atoi(args[1])
	f.Check(err)
	for deadline := time.Now().Add(2 * time.Minute); f.count(args[0]) < number; <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("the expected calls did not arrive within two minutes")
		}
	}
}
