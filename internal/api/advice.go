package api

import (
	"cmp"
	"net/http"
	"strings"
)

// This file says what to do about a failed call, in terms of the provider's arguments. kinds.go has what to do about
// each kind. What a single response shows takes the place of that, or is added to it.
const (
	adviceRefused = "Fix what the service reports, then run again."
	adviceSilent  = "The response does not say why. Look in the log of the service, then run again."
	adviceLacking = "If every response lacks this, running again cannot help: the service has to return it."

	adviceCertificate = "If the service or a proxy has a certificate authority of its own, set ca_cert_pem. Check " +
		"base_url."
	adviceTLS = "Check the scheme and port in base_url. If the service asks for a certificate, set client_cert_pem. If " +
		"it speaks only HTTP/2, put a gateway in front of it that also speaks HTTP/1.1."
	adviceProxy   = "Check the proxy in HTTPS_PROXY, including its user name and password."
	adviceForeign = "Nothing shows that this response comes from the service. Check base_url, and what is in front of " +
		"the service (a gateway, a firewall, a sign-in page). Some of these refuse GET and DELETE requests with a body: " +
		"see the guide Network."

	hintBody   = " If something on the way drops the body of GET and DELETE requests, see the guide Network."
	hintLookup = " If the service demands a field in every lookup, add the field to lookup_fields."

	hintDeletion = " If deletions need a data source, check data_source_provided_id."
)

// Advice returns what to check or change after the failure.
func (e *Error) Advice() string {
	wasSent := e.Kind != NotSent && e.Kind != Blocked
	if e.WasStopped && !wasSent {
		return kinds[Stopped].advice // What failed meanwhile is no sign of anything.
	}
	return cmp.Or(e.advice, kinds[e.Kind].advice)
}

// adviceOn returns what to do about a response. It depends on the methods that have worked before.
func (c *Client) adviceOn(method string, failure *Error) string {
	advice, isDecision := kinds[failure.Kind].advice, kinds[failure.Kind].decides
	switch {
	case failure.Status == http.StatusProxyAuthRequired:
		return adviceProxy
	case !failure.FromService && (isDecision || failure.Status/100 == 2):
		return adviceForeign + foreignHints[failure.Status]
	case strings.HasPrefix(failure.Reason, lacks):
		return adviceLacking
	case advice == adviceRefused && failure.Message == "":
		advice = adviceSilent
	}
	if failure.Kind == Refused && c.mayMissBody(method) {
		advice += hintBody
	}
	return advice + hints[method][failure.Kind]
}

// foreignHints has what else a status can mean if it does not come from the service.
var foreignHints = map[int]string{
	http.StatusUnauthorized: " If the service itself responds so, check api_key.",
	http.StatusForbidden:    " If it refuses many calls at once, set requests_per_second.",
	http.StatusNoContent: " If the service itself responds so to an update, it has to return the group: running again " +
		"cannot help.",
}

// hints have what else a failure of a method can mean. Services also break down for want of a field.
var hints = map[string]map[Kind]string{
	http.MethodGet:    {Refused: hintLookup, Broken: hintLookup},
	http.MethodDelete: {Refused: hintDeletion, Broken: hintDeletion},
}

// mayMissBody reports whether the bodies of a method may be dropped on the way. Many programs do not expect them with
// GET and DELETE.
func (c *Client) mayMissBody(method string) bool {
	isOdd := method == http.MethodGet || method == http.MethodDelete
	return isOdd && !c.hasWorkedWith(method)
}
