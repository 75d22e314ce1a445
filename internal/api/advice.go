package api

import (
	"cmp"
	"net/http"
	"slices"
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
		"the service (a gateway, a firewall, a sign-in page)."

	hintBursts = " If it refuses many calls at once, set requests_per_second."
	hintBody   = " If something on the way drops the body of GET and DELETE requests, or refuses it, see the " +
		"guide Network."
	hintLookup = " If it demands a field in every lookup, add the field to lookup_fields."
)

// Advice returns what to check or change after the failure.
func (e *Error) Advice() string {
	wasSent := e.Kind != NotSent && e.Kind != Blocked
	if e.WasStopped && !wasSent {
		return kinds[Stopped].advice // What failed meanwhile is no sign of anything.
	}
	return cmp.Or(e.advice, kinds[e.Kind].advice)
}

// adviceOn returns what to do about a response.
func (c *Client) adviceOn(method string, failure *Error) string {
	isClass2 := failure.Status/100 == 2
	isForeign := !failure.FromService && failure.Kind != Redirected && failure.Kind != WrongAddress
	lacks := isClass2 && method != http.MethodDelete && slices.Contains([]Kind{Broken, Unconfirmed}, failure.Kind)
	advice := kinds[failure.Kind].advice
	switch {
	case failure.Status == http.StatusProxyAuthRequired:
		return adviceProxy
	case isForeign && (isClass2 || !failure.Passes()):
		advice = adviceForeign
	case lacks:
		advice = adviceLacking
	case advice == adviceRefused && failure.Message == "":
		advice = adviceSilent
	}
	return advice + c.hints(method, failure)
}

// hints returns what else may be the reason for a refusal. It depends on the methods that have worked before: many
// programs do not expect a body with GET and DELETE.
func (c *Client) hints(method string, failure *Error) (hints string) {
	isRefusal := failure.Kind == Refused || failure.Kind == Unauthorized && !failure.FromService
	isLookup := method == http.MethodGet
	mayMiss := (isLookup || method == http.MethodDelete) && !c.HasWorkedWith(method)
	for _, hint := range []struct {
		text   string
		isTrue bool
	}{
		{hintBursts, failure.Status == http.StatusForbidden && !failure.FromService},
		{hintBody, mayMiss && isRefusal},
		{hintLookup, isLookup && failure.FromService && (isRefusal || mayMiss && failure.Status/100 == 5)},
	} {
		if hint.isTrue {
			hints += hint.text
		}
	}
	return hints
}
