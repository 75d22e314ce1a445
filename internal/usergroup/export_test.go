package usergroup

// PassCheck leaves the check of the service passed, as the first operation does that needs it.
func (s *Service) PassCheck() { s.check.passed, s.check.uncached = true, true }
