// Package usergroup is what is safe to do to a user group. The service can only get-or-create, so looking makes groups,
// creating adopts them, and a lost answer leaves open what was done; all knowledge of how to live with that is here.
// It knows no Terraform type.
package usergroup

import (
	"sync"
	"sync/atomic"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Service offers the safe operations. It is safe for concurrent use.
type Service struct {
	client      *api.Client
	environment string

	// nameRequired remembers that the service refuses a lookup without a name.
	nameRequired atomic.Bool
	// taken holds the ids of groups that this process has put into a state; see Delete.
	taken sync.Map
}

// New returns a Service on top of a client. environment is the tag that every group must have ("Customer" or
// "Testing", interface section 2.2), or empty for any.
func New(client *api.Client, environment string) *Service {
	return &Service{client: client, environment: environment}
}

// Wanted is what a configuration asks for (interface section 2.1). What is nil or zero is not managed and is not sent.
type Wanted struct {
	ID         string
	Name       string
	Mapping    map[string]string
	Properties jsonobject.Object
}

func (w Wanted) request() api.GroupRequest {
	return api.GroupRequest{UserGroupID: w.ID, Name: &w.Name, Mapping: w.Mapping, Properties: w.Properties}
}

// Known is what earlier answers told about a group. Everything but the id may be unknown, that is nil or zero.
type Known struct {
	ID             string
	Name           string
	TeamID         *int64
	Token          api.Secret
	EnvironmentTag *string
}

// isOther reports whether an answer is about another group than the known one: same id, but deleted and made anew.
func (k Known) isOther(group api.UserGroup) bool {
	return k.TeamID != nil && group.TeamID != nil && *k.TeamID != *group.TeamID
}

// isSame reports whether an answer is certainly about the known group. An unknown team_id is neither the same nor other.
func (k Known) isSame(group api.UserGroup) bool {
	return k.TeamID != nil && group.TeamID != nil && *k.TeamID == *group.TeamID
}

// Result is what an operation brought about. After an error, a Result with a Group says what was done nevertheless.
type Result struct {
	Group    *api.UserGroup
	Warnings []*Problem
}
