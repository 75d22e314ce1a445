package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// moveResult is what the service saw while customers moved from one root module to two.
type moveResult struct {
	Mapping bool           `json:"mapping_managed"`
	Groups  int            `json:"groups"`
	Moved   int            `json:"moved"`
	Calls   map[string]int `json:"calls"`
	// Kept says that every group has the team and the token that it had before.
	Kept bool `json:"kept"`
}

// runMove splits one root module's customers over two, as the guide does, and counts what reaches the service.
func runMove(ctx context.Context, b *bench, out string) error {
	n := b.sizesOr(40)[0]
	var results []moveResult
	var lost error
	for _, mapping := range []bool{false, true} {
		b.say("moving half of %d groups, mapping managed: %t", n, mapping)
		one, err := b.moveHalf(ctx, n, mapping)
		if err != nil {
			return err
		}
		results = append(results, one)
		if !one.Kept {
			lost = errors.New("teams or tokens were not kept")
		}
	}
	return errors.Join(lost, writeReport(out, "move", results, func(to *strings.Builder) error {
		for _, one := range results {
			_, _ = fmt.Fprintf(to, "%d of %d groups moved, mapping managed %t: %s; teams and tokens kept: %t\n",
				one.Moved, one.Groups, one.Mapping, plainCounts(one.Calls), one.Kept)
		}
		return nil
	}))
}

func (b *bench) moveHalf(ctx context.Context, n int, mapping bool) (moveResult, error) {
	service, err := startService(0, 0)
	if err != nil {
		return moveResult{}, err
	}
	defer service.Close()
	extra, err := configurations.ReadFile("configurations/move.tf.tmpl")
	if err != nil {
		return moveResult{}, err
	}
	text := b.all[0].template + string(extra)
	with := settings{BaseURL: service.URL(), APIKey: emulator.DefaultKey, WithoutMapping: !mapping}
	everyone := customers(n)
	parts := sharded(everyone, 2)
	var rooms []*room
	for _, groups := range []map[string]customer{everyone, {}} {
		r, err := b.newRoom(b.all[0])
		if err != nil {
			return moveResult{}, err
		}
		if err := errors.Join(r.write(text, with, groups), r.mustRun(ctx, "init")); err != nil {
			return moveResult{}, err
		}
		rooms = append(rooms, r)
	}
	if err := rooms[0].mustRun(ctx, "apply", "-auto-approve"); err != nil {
		return moveResult{}, err
	}
	before := service.Groups()
	var counted sample
	takeCounts(service, &counted)

	// They arrive at the new place first, so that at no time nobody manages them.
	moving := slices.Sorted(maps.Keys(parts[1]))
	arriving, err := json.Marshal(map[string]any{"arriving": moving})
	if err != nil {
		return moveResult{}, err
	}
	err = errors.Join(
		rooms[1].writeCustomers(parts[1]),
		os.WriteFile(filepath.Join(rooms[1].configuration(), "arriving.auto.tfvars.json"), arriving, 0o600),
		rooms[1].mustRun(ctx, "apply", "-auto-approve"),
		rooms[0].writeCustomers(parts[0]),
		os.WriteFile(filepath.Join(rooms[0].configuration(), "leaving.tf"), []byte(leaving(moving)), 0o600),
		rooms[0].mustRun(ctx, "apply", "-auto-approve"),
		os.Remove(filepath.Join(rooms[0].configuration(), "leaving.tf")),
		rooms[0].mustRun(ctx, "plan", "-detailed-exitcode"),
		rooms[1].mustRun(ctx, "plan", "-detailed-exitcode"),
	)
	if err != nil {
		return moveResult{}, err
	}
	takeCounts(service, &counted)
	same := slices.EqualFunc(before, service.Groups(), func(a, b emulator.Group) bool {
		return a.ID == b.ID && a.TeamID == b.TeamID && a.Token == b.Token
	})
	return moveResult{Mapping: mapping, Groups: n, Moved: len(moving), Calls: counted.Calls, Kept: same}, nil
}

// leaving forgets single instances: a removed block takes a whole resource only, so they move to one of their own first.
func leaving(ids []string) string {
	var text strings.Builder
	for _, id := range ids {
		_, _ = fmt.Fprintf(&text, "moved {\n  from = embed_user_group.customer[%q]\n  to   = embed_user_group.leaving[%q]\n}\n", id, id)
	}
	text.WriteString("removed {\n  from = embed_user_group.leaving\n  lifecycle {\n    destroy = false\n  }\n}\n")
	return text.String()
}

func (r *room) mustRun(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	_, err := r.run(ctx, args...)
	return err
}
