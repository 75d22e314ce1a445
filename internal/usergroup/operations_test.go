package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// operation is any of the five in one shape. known is what the state has.
type operation func(ctx context.Context, s *Service, known Known) (Result, error)

// operations are all of them.
var operations = map[string]operation{
	"create": runCreate, "adopt": runAdopt, "find": runFind, "update": runUpdate, "rotate": runRotate, "delete": runDelete,
}

func runCreate(ctx context.Context, s *Service, _ Known) (Result, error) {
	return s.Create(ctx, wantedGroup(), false)
}

func runAdopt(ctx context.Context, s *Service, _ Known) (Result, error) {
	return s.Create(ctx, wantedGroup(), true)
}

func runFind(ctx context.Context, s *Service, known Known) (Result, error) {
	found, err := s.Find(ctx, known)
	if err != nil {
		return Result{}, err
	}
	return Result{Group: &found.UserGroup}, nil
}

func runUpdate(ctx context.Context, s *Service, known Known) (Result, error) {
	return s.Update(ctx, wantedGroup(), known)
}

func runRotate(ctx context.Context, s *Service, known Known) (Result, error) {
	return s.RotateToken(ctx, known)
}

func runDelete(ctx context.Context, s *Service, known Known) (Result, error) {
	return s.Delete(ctx, known, "")
}

// byIDAlone runs an operation without what the state has beyond the id, as an import does.
func byIDAlone(run operation) operation {
	return func(ctx context.Context, s *Service, known Known) (Result, error) {
		return run(ctx, s, Known{ID: known.ID})
	}
}

// tokenUnknown runs an operation as a state does that is not to hold the token.
func tokenUnknown(run operation) operation {
	return func(ctx context.Context, s *Service, known Known) (Result, error) {
		known.Token = api.Secret{}
		return run(ctx, s, known)
	}
}
