package emulator

import (
	"net/http"
	"regexp"
	"slices"
)

// refusal is why a call is refused: for a field of its body or, if field is empty, as a whole.
type refusal struct {
	status      int
	field, says string
	retryAfter  int // in seconds; 0 means that the response does not say when to try again
}

func (r refusal) message() string {
	if r.field == "" {
		return r.says
	}
	return "the field " + r.field + " " + r.says
}

var (
	absent = refusal{status: http.StatusNotFound, says: "there is no user group with this user_group_id"}
	stale  = refusal{status: http.StatusNotFound, says: "current_token is not the current token of any user group"}
	others = refusal{
		status: http.StatusConflict, says: "current_token does not belong to the user group with this user_group_id",
	}
	ofDeleted = refusal{
		status: http.StatusGone, field: "user_group_id", says: "is that of a deleted user group",
	}
	full = refusal{status: http.StatusPaymentRequired, says: "the account has as many user groups as it may have"}
)

// missing returns the first field that the body of a call must have and lacks, and the status of the refusal.
func (s *service) missing(call *Call, asked request) (field string, status int) {
	o := s.options
	always := map[string][]string{
		http.MethodGet: {"user_group_id"}, http.MethodPut: {"user_group_id"}, http.MethodPost: {"current_token"},
	}[call.Method]
	chosen := map[string][]string{http.MethodGet: o.Required, http.MethodPut: o.RequiredToUpdate}[call.Method]
	if s.creates(call, asked) {
		chosen = append(slices.Clone(chosen), o.RequiredToCreate...)
	}
	if call.Method == http.MethodDelete && asked.ID == "" {
		always = append(always, "current_token")
	}
	if call.Method == http.MethodDelete && o.DataSourceRequired {
		always = append(always, "data_source_provided_id")
	}
	has := asked.has()
	lacks := func(field string) bool { return !slices.Contains(has, field) }
	if i := slices.IndexFunc(always, lacks); i >= 0 {
		return always[i], http.StatusBadRequest
	}
	if i := slices.IndexFunc(chosen, lacks); i >= 0 {
		return chosen[i], o.MissingStatus
	}
	return "", 0
}

// creates reports whether a call would create a group.
func (s *service) creates(call *Call, asked request) bool {
	_, there := s.groups[scoped{call.Environment, asked.ID}]
	return !there && (call.Method == http.MethodGet || call.Method == http.MethodPut && s.options.UpsertOnPut)
}

// check returns why the service refuses what the body has or lacks, or nil.
func (s *service) check(call *Call, asked request) *refusal {
	if field, status := s.missing(call, asked); field != "" {
		return &refusal{status: status, field: field, says: "is missing or empty"}
	}
	if asked.ID != "" && !regexp.MustCompile(s.options.IDPattern).MatchString(asked.ID) {
		return &refusal{status: http.StatusBadRequest, field: "user_group_id", says: "must match " + s.options.IDPattern}
	}
	return nil
}
