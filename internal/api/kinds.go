package api

import (
	"maps"
	"net/http"
	"slices"
)

// Done says whether the work of a call was done at the service.
type Done int

const (
	No Done = iota
	Maybe
	Yes
)

// Kind is what a failed call means. The service documents no error codes (interface section 7), so kinds follow from
// the status, `success` and the form of the response, never from the words of the service.
type Kind string

const (
	// none is the kind of a call that has not failed.
	none Kind = ""

	Cut          Kind = "Cut"          // the connection broke after the request may have been sent
	Late         Kind = "Late"         // no response in time, or a gateway says so; the service may still be at work
	Broken       Kind = "Broken"       // another status 5xx, or a response that cannot be read
	Unmarked     Kind = "Unmarked"     // a group is returned, but not whether this call has created it
	Incomplete   Kind = "Incomplete"   // a success that lacks something; what it has is returned
	Unconfirmed  Kind = "Unconfirmed"  // a deletion or an update with 2xx, but nothing shows that it was carried out
	Refused      Kind = "Refused"      // the service, or something in front of it, refused the call
	Busy         Kind = "Busy"         // a deletion is refused as long as something else is under way (409, 423, 425)
	Unauthorized Kind = "Unauthorized" // status 401 or 403
	Throttled    Kind = "Throttled"    // a rate limit refused the call: 429, and any refusal that says when to try again
	Unavailable  Kind = "Unavailable"  // status 503
	WrongAddress Kind = "WrongAddress" // status 404 or 405, and nothing has shown yet that this is the service
	Cached       Kind = "Cached"       // a cache responded in place of the service
	Redirected   Kind = "Redirected"   // the response was a redirect, which is never followed
	NotSent      Kind = "NotSent"      // no connection was made
	Blocked      Kind = "Blocked"      // TLS, a certificate or a proxy stopped the request, and will stop the next one
	Stopped      Kind = "Stopped"      // the run was stopped before the request was sent
)

// Kinds returns all kinds of failures.
func Kinds() []Kind { return slices.Sorted(maps.Keys(kinds)) }

// kinds has everything that is decided by the kind of a failure.
var kinds = map[Kind]struct {
	done       Done   // whether the attempt has done the work
	doneByGet  Done   // the same for get-or-create, where the work is that a group is created
	passes     bool   // the same call may succeed later
	decides    bool   // the service itself has decided on the call, if the response comes from it
	limits     bool   // it came too early: the limiter slows down, and the retry does not count for a while
	mayBeToken bool   // a token that is no longer current may be the reason
	advice     string // what to do about it; see adviceOn
}{
	Cut: {done: Maybe, doneByGet: Maybe, passes: true, advice: "Run again."},
	Late: {done: Maybe, doneByGet: Maybe, passes: true, advice: "Run again. If the service often takes this long, raise " +
		"request_timeout or, if a gateway has given up, its limit."},
	Broken: {done: Maybe, doneByGet: Maybe, passes: true, advice: "Run again."},
	Unmarked: {done: Maybe, doneByGet: Maybe, decides: true, advice: "The provider needs new_user_group to tell a new " +
		"group from one that existed. If running again does not help, the service has to return it."},
	Incomplete:  {done: Yes, doneByGet: Maybe, decides: true, advice: adviceLacking},
	Unconfirmed: {done: Maybe, doneByGet: Maybe, decides: true, mayBeToken: true, advice: "Run again."},
	Refused:     {decides: true, mayBeToken: true, advice: adviceRefused},
	Busy:        {decides: true, passes: true, mayBeToken: true, advice: adviceRefused},
	Unauthorized: {decides: true, mayBeToken: true, advice: "Check api_key (EMBED_API_KEY): the key may be wrong, may " +
		"have expired, or may lack a permission."},
	Throttled: {passes: true, limits: true, advice: "The service is limiting the rate of calls. Run again later."},
	Unavailable: {done: Maybe, doneByGet: Maybe, passes: true, limits: true, advice: "The service cannot take more " +
		"calls now. Run again later."},
	WrongAddress: {mayBeToken: true, advice: "If every call fails so, check base_url, especially its path. " +
		"Otherwise, fix what the service reports, then run again."},
	Cached: {done: Maybe, advice: "Turn off caching for the address of the service, then run again."},
	Redirected: {done: Maybe, advice: "If the service has another address, set base_url to that address. Otherwise, " +
		"find out what redirects this call."},
	NotSent: {passes: true, advice: "Check base_url, the network, and the proxy settings, then run again."},
	Blocked: {advice: "Check base_url and the proxy settings, then run again."},
	Stopped: {advice: "Run again."},
}

// statuses has the kinds of statuses that differ from the others of their class.
var statuses = map[int]Kind{
	http.StatusUnauthorized:      Unauthorized,
	http.StatusForbidden:         Unauthorized,
	http.StatusProxyAuthRequired: Blocked,
	http.StatusRequestTimeout:    Late,
	http.StatusConflict:          Busy,
	http.StatusLocked:            Busy,
	http.StatusTooEarly:          Busy,
	http.StatusTooManyRequests:   Throttled,
	// Gateways say 503 also if a connection to the service has broken, so the work may have been done.
	http.StatusServiceUnavailable: Unavailable,
	http.StatusBadGateway:         Late,
	http.StatusGatewayTimeout:     Late,
	524:                           Late, // a gateway of a content delivery network that waited too long
}

// kindOf returns what a status means if it is not 2xx. Only a deletion waits until something else is done: for any
// other call, a conflict is a decision of the service, such as one about a name that is taken.
func kindOf(method string, status int) Kind {
	kind, isSpecial := statuses[status]
	isDecision := kind == Busy && method != http.MethodDelete
	switch {
	case isSpecial && !isDecision:
		return kind
	case status/100 == 3:
		return Redirected
	case status/100 == 4:
		return Refused
	default:
		return Broken
	}
}

// doneBy returns whether an attempt that has failed has done the work. For get-or-create, the work is that a group is
// created.
func doneBy(method string, kind Kind, answer Answer) Done {
	switch {
	case method != http.MethodGet:
		return kinds[kind].done
	case answer.New == nil:
		return kinds[kind].doneByGet
	case *answer.New:
		return Yes
	default:
		return No
	}
}
