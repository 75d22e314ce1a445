package usergroup_test

import "github.com/dashembed/terraform-provider-embed/internal/usergroup"

func isFound(finding usergroup.Finding) func(*usergroup.Problem) bool {
	return func(p *usergroup.Problem) bool { return p.Finding == finding }
}
