package endtoend

import (
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// serve starts the service that the script's provider talks to.
func (f *folder) serve() (err error) {
	if f.service, err = emulator.Start(emulator.Options{Log: func(emulator.Call) { f.tell() }}); err == nil {
		f.service.BeforeCall(f.arrived)
	}
	return err
}

// tell ends one wait: a call has arrived, or has been worked on.
func (f *folder) tell() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// wait waits until something has happened.
func (f *folder) wait(happened func() bool) {
	for timeout := time.After(2 * time.Minute); !happened(); {
		select {
		case <-f.news:
		case <-timeout:
			f.Fatalf("this has not happened within two minutes")
		}
	}
}

// behind has somebody do something to a group, or to each group of a table, elsewhere.
func (f *folder) behind(_ bool, args []string) {
	ids := args[1:2]
	if strings.HasSuffix(ids[0], ".csv") {
		ids = nil
		for _, row := range f.rows(args[1]) {
			ids = append(ids, row.id())
		}
	}
	for _, id := range ids {
		_, done := f.service.Group(id)
		switch args[0] {
		case "create":
			f.service.Seed(emulator.Group{ID: id, Name: args[2]})
			done = true
		case "delete":
			f.service.Remove(id)
		case "rotate":
			f.service.RotateBehind(id)
		default:
			done = false
		}
		if !done {
			f.Fatalf("nobody can %s %s", args[0], id)
		}
	}
}

// group says that the service has a group, and what its name is.
func (f *folder) group(neg bool, args []string) {
	group, exists := f.service.Group(args[0])
	if exists == neg || len(args) > 1 && group.Name != args[1] {
		f.Fatalf("the service has the group %s: %t, with the name %q", args[0], exists, group.Name)
	}
}

// tooLate is after the time limit of a script that has calls answered late.
const tooLate = 5 * time.Second

// fault has the next such call go wrong; or the n-th from now on, or each as long as it lasts.
func (f *folder) fault(_ bool, args []string) {
	method, kind := strings.TrimPrefix(args[0], "any"), emulator.FaultKind(args[1])
	fault := emulator.Fault{Method: method, Kind: kind, Nth: 1, Delay: tooLate}
	for _, text := range args[2:] {
		option, value, _ := strings.Cut(text, "=")
		var err error
		switch option {
		case "lasting":
			fault.Nth = 0
		case "nth":
			fault.Nth, err = strconv.Atoi(value)
		case "id":
			fault.ID = value
		case "delay":
			fault.Delay, err = time.ParseDuration(value)
		case "retry-after":
			fault.RetryAfter = value
		default:
			f.Fatalf("a fault has no %s", option)
		}
		f.Check(err)
	}
	f.service.Fail(fault)
}

// row is a row of a table of faults, for the group FAULT.LASTS.
type row struct{ fault, lasts, calls, says string }

func (r row) id() string { return r.fault + "." + r.lasts }

func (f *folder) rows(table string) (rows []row) {
	lines, err := csv.NewReader(strings.NewReader(f.ReadFile(table))).ReadAll()
	f.Check(err)
	for _, line := range lines[1:] {
		for fault := range strings.FieldsSeq(line[0]) {
			rows = append(rows, row{fault, line[1], line[2], line[3]})
		}
	}
	return rows
}

// faults has calls go wrong as a table says, each for a group of its own.
func (f *folder) faults(_ bool, args []string) {
	f.take()
	for _, row := range f.rows(args[1]) {
		options := []string{args[0], row.fault, "id=" + row.id()}
		if row.lasts != "once" {
			options = append(options, "lasting")
		}
		f.fault(false, options)
	}
}

// struck says what came of it: the calls about each group, and what the error about it says, if there is one.
func (f *folder) struck(_ bool, args []string) {
	var wrong []string
	for _, row := range f.rows(args[0]) {
		var errors []string
		for _, problem := range f.problems() {
			if title, _, _ := strings.Cut(problem, "\n"); strings.Contains(title, strconv.Quote(row.id())) {
				errors = append(errors, problem)
			}
		}
		said := strings.Join(errors, "\n")
		if got := inWords(f.take(row.id())); !matches(got, row.calls) {
			wrong = append(wrong, fmt.Sprintf("%s: asked for %s and not for %s", row.id(), got, row.calls))
		}
		if (row.says == "") != (said == "") || !strings.Contains(said, row.says) || len(errors) > 1 {
			wrong = append(wrong, fmt.Sprintf("%s: not %q, but:\n%s", row.id(), row.says, said))
		}
	}
	if len(wrong) > 0 {
		f.Fatalf("%s", strings.Join(wrong, "\n"))
	}
}

// storm has one call in ten go wrong, in each way that passes, and twice in a row at most.
func (f *folder) storm(bool, []string) {
	seed := os.Getenv("EMBED_STORM_SEED")
	if seed == "" {
		seed = strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	f.Logf("EMBED_STORM_SEED=%s repeats this storm", seed)
	kinds := []emulator.FaultKind{
		emulator.CutAfterWork, emulator.CutBefore, emulator.CutInDocument, emulator.HalfDocument,
		emulator.Error500AfterWork, emulator.Unavailable503, emulator.TooMany429, emulator.HTML200,
		emulator.NoToken, emulator.Delay, emulator.DelayBefore,
	}
	var mu sync.Mutex
	calls, streak := map[string]int{}, map[string]int{}
	f.service.BeforeCall(func(call emulator.Call) {
		mu.Lock()
		defer mu.Unlock()
		// Each method draws for each group, so that a seed means the same strikes in whatever order calls come.
		lane := call.Method + " " + call.ID
		calls[lane]++
		hash := fnv.New64a()
		_, _ = fmt.Fprint(hash, seed, lane, calls[lane])
		draw := hash.Sum64() >> 8
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

// repair ends every fault.
func (f *folder) repair(bool, []string) {
	f.service.BeforeCall(f.arrived)
	f.service.ClearFaults()
}

// calls says what the service was asked for, in order, since the last time: all of it, or about one group.
func (f *folder) calls(_ bool, args []string) {
	ids, want := args[:len(args)-1], args[len(args)-1]
	if got := inWords(f.take(ids...)); !matches(got, want) {
		f.Fatalf("the service was asked for\n  %s\nand not for\n  %s", got, want)
	}
}

// take returns the calls, or those about one group, that were not taken yet.
func (f *folder) take(id ...string) (taken []emulator.Call) {
	f.service.WaitIdle()
	all := f.service.Calls()
	f.untold = append(f.untold, all[f.taken:]...)
	f.taken = len(all)
	var rest []emulator.Call
	for _, call := range f.untold {
		if len(id) > 0 && call.ID != id[0] {
			rest = append(rest, call)
		} else {
			taken = append(taken, call)
		}
	}
	f.untold = rest
	return taken
}

// matches reports whether calls are those wanted, where "many" is any number, and "…" whatever follows: a refusal for
// the pace is repeated as long as other calls get through.
func matches(got, want string) bool {
	pattern := strings.NewReplacer("many", `\d+`, "…", ".*").Replace(regexp.QuoteMeta(want))
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}

// inWords is such as "2 GET > POST/rotated".
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
		if same > 1 {
			text = fmt.Sprint(same, " ", text)
		}
		words = append(words, text)
		i += same
	}
	return strings.Join(words, " > ")
}

// word is the method of a call, and what it did.
func word(call emulator.Call) string {
	switch {
	case call.Path != "/api/user":
		return call.Method + " " + call.Path
	case call.Created:
		return call.Method + "/created"
	case call.Updated:
		return call.Method + "/updated"
	case call.Rotated:
		return call.Method + "/rotated"
	case call.Deleted:
		return call.Method + "/deleted"
	}
	return call.Method
}

// asked says how often the service was asked for something, in the whole script.
func (f *folder) asked(_ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	f.Check(err)
	f.service.WaitIdle()
	if got := f.count(append(args[:1], args[2:]...)...); got != want {
		f.Fatalf("the service was asked for it %d times", got)
	}
}

// count counts calls, such as POST or POST/rotated, of any group or of one.
func (f *folder) count(what ...string) (n int) {
	for _, call := range f.service.Calls() {
		if (call.Method == what[0] || word(call) == what[0]) && (len(what) < 2 || call.ID == what[1]) {
			n++
		}
	}
	return n
}

// hold keeps such calls from the service until they are released.
func (f *folder) hold(_ bool, args []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.holds[args[0]] = true
}

func (f *folder) arrived(call emulator.Call) {
	var goOn chan struct{}
	f.mu.Lock()
	if f.holds[call.Method] {
		goOn = make(chan struct{})
		f.held = append(f.held, goOn)
	}
	f.mu.Unlock()
	if f.tell(); goOn != nil {
		<-goOn
	}
}

// release lets them through, in the order in which they came, and holds no more.
func (f *folder) release(bool, []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.holds)
	for _, goOn := range f.held {
		before := len(f.service.Calls())
		close(goOn)
		f.wait(func() bool { return len(f.service.Calls()) > before })
	}
	f.held = nil
}

// until waits until calls are held, or until the service was asked for something, so often.
func (f *folder) until(_ bool, args []string) {
	number, err := strconv.Atoi(append(args, "1")[1])
	f.Check(err)
	f.wait(func() bool {
		if args[0] != "held" {
			return f.count(args[0]) >= number
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.held) >= number
	})
}
