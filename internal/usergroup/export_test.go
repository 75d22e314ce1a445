package usergroup

// PassCheck marks the check of the service as passed.
func (s *Service) PassCheck() {
	s.check.last = &verdict{uncached: true}
	s.names.known.Store(true)
}
