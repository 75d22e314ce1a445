package usergroup

import "github.com/dashembed/terraform-provider-embed/internal/api"

// Lease and LongestPlaceholder are the times of lease.go.
const (
	Lease              = lease
	LongestPlaceholder = longestPlaceholder
)

// PassCheck marks the check of the service as passed. showsNames reports whether its lookup has shown a name.
func (s *Service) PassCheck(showsNames bool) {
	s.check.last = &verdict{uncached: true}
	s.names.known.Store(true)
	s.names.shown.Store(showsNames)
}

// Seen does what an operation on the group with a token does: the service remembers the token.
func (s *Service) Seen(token api.Secret) { s.remember(token) }

// End ends the run for every operation.
func (s *Service) End(problem *Problem) *Problem { return s.end(problem) }

// EndFor ends the run for one operation.
func (s *Service) EndFor(operation Operation, problem *Problem) *Problem {
	return s.endFor(operation, problem)
}
