package endtoend

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
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
	_, exists := f.service.Group(args[1])
	switch {
	case args[0] == "create":
		f.service.Seed(emulator.Group{ID: args[1], Name: args[2]})
	case args[0] == "delete" && exists:
		f.service.Remove(args[1])
	case args[0] == "rotate" && exists:
		f.service.RotateBehind(args[1])
	default:
		f.Fatalf("cannot %s the group %s", args[0], args[1])
	}
}

// group fails the script unless the service has the group. With neg, the group must not exist.
func (f *fixture) group(neg bool, args []string) {
	if _, exists := f.service.Group(args[0]); exists == neg {
		f.Fatalf("the group %s exists: %t", args[0], exists)
	}
}

// fault makes the next matching call go wrong. The option lasting chooses every such call until repair.
func (f *fixture) fault(_ bool, args []string) {
	method, kind := strings.TrimPrefix(args[0], "any"), emulator.FaultKind(args[1])
	fault := emulator.Fault{Method: method, Kind: kind, Nth: 1}
	for _, text := range args[2:] {
		option, value, _ := strings.Cut(text, "=")
		var err error
		switch option {
		case "lasting":
			fault.Nth = 0
		case "id":
			fault.ID = value
		case "delay":
			fault.Delay, err = time.ParseDuration(value)
		default:
			f.Fatalf("a fault has no option %s", option)
		}
		f.Check(err)
	}
	f.service.Fail(fault)
}

// storm makes one call in ten go wrong, with every kind of fault that retries can overcome. It strikes at most two
// calls in a row with the same method and group.
func (f *fixture) storm(bool, []string) {
	seed := os.Getenv("EMBED_STORM_SEED")
	if seed == "" {
		seed = strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	f.Logf("EMBED_STORM_SEED=%s repeats this storm", seed)
	kinds := []emulator.FaultKind{
		emulator.CutAfterWork, emulator.CutBefore, emulator.CutInDocument, emulator.HalfDocument,
		emulator.Error500AfterWork, emulator.Unavailable503, emulator.TooMany429, emulator.HTML200,
		emulator.NoToken, emulator.Delay,
	}
	var mu sync.Mutex
	calls, streak := map[string]int{}, map[string]int{}
	f.service.BeforeCall(func(call emulator.Call) {
		mu.Lock()
		defer mu.Unlock()
		// Each method and group has a separate sequence, so that a seed gives the same faults in any order of calls.
		lane := call.Method + " " + call.ID
		calls[lane]++
		hash := fnv.New64a()
		_, _ = fmt.Fprint(hash, seed, lane, calls[lane])
		// The hashes of texts that differ in one digit are not independent.
		draw := rand.NewPCG(hash.Sum64(), 0).Uint64()
		if draw%10 > 0 || streak[lane] == 2 {
			streak[lane] = 0
			return
		}
		streak[lane]++
		kind := kinds[draw/10%uint64(len(kinds))]
		const late = 100 * time.Millisecond
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
	ids, want := args[:len(args)-1], args[len(args)-1]
	f.service.WaitIdle()
	all := f.service.Calls()
	since := slices.DeleteFunc(all[f.checked:], func(call emulator.Call) bool {
		return len(ids) > 0 && call.ID != ids[0]
	})
	f.checked = len(all)
	if got := inWords(since); !matches(got, want) {
		f.Fatalf("the service was asked for\n  %s\nand not for\n  %s", got, want)
	}
}

// matches reports whether the calls are the wanted ones. In want, "many" stands for any number, and "…" for
// anything. These are needed because a call that a rate limit refuses is repeated for as long as other calls
// succeed.
func matches(got, want string) bool {
	pattern := strings.NewReplacer("many", `\d+`, "…", ".*").Replace(regexp.QuoteMeta(want))
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}

// inWords returns the calls as text, for example "2 GET > POST/rotated". The calls of a check of the service are one
// word, check.
func inWords(calls []emulator.Call) string {
	if len(calls) == 0 {
		return "nothing"
	}
	var words []string
	for i := 0; i < len(calls); {
		same := 1
		for i+same < len(calls) && word(calls[i+same]) == word(calls[i]) {
			same++
		}
		text := word(calls[i])
		if same > 1 && text != check {
			text = fmt.Sprint(same, " ", text)
		}
		words = append(words, text)
		i += same
	}
	return strings.Join(words, " > ")
}

// check is the word for the calls about a group that the provider creates to check the service.
const check = "check"

// word returns the method of a call and, if the call changed a group, what it did.
func word(call emulator.Call) string {
	switch {
	case call.Path != "/api/user":
		return call.Method + " " + call.Path
	case strings.HasPrefix(call.ID, "terraform-provider-embed-check-"):
		return check
	case call.Did() != "":
		return call.Method + "/" + call.Did()
	}
	return call.Method
}

// asked fails the script unless the service received this number of such calls since the script began.
func (f *fixture) asked(_ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	f.Check(err)
	f.service.WaitIdle()
	if got := f.count(args[0]); got != want {
		f.Fatalf("the service received %d such calls", got)
	}
}

// count returns the number of calls such as POST or POST/rotated, except those of a check.
func (f *fixture) count(what string) (n int) {
	for _, call := range f.service.Calls() {
		if got := word(call); got != check && (call.Method == what || got == what) {
			n++
		}
	}
	return n
}

// until waits until the service has worked on a number of calls such as POST/rotated.
func (f *fixture) until(_ bool, args []string) {
	number, err := strconv.Atoi(args[1])
	f.Check(err)
	timeout := time.After(2 * time.Minute)
	for f.count(args[0]) < number {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-timeout:
			f.Fatalf("the expected calls did not arrive within two minutes")
		}
	}
}
