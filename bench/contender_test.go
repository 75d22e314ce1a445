package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A variant that renders as another one would be measured under its name.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	all, err := contenders(programs{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		name, contender string
		with            settings
		want            string
	}{
		{"a map", nameOurs, settings{}, `resource "embed_user_group" "customer" {
  for_each = var.customers

  user_group_id             = each.key
  name                      = each.value.name
  mapping                   = { main = each.value.source }
  properties                = jsonencode({ tier = each.value.tier, seats = each.value.seats, region = each.value.region })
  rotate_token_when_changed = { quarter = var.quarter }
}
`},
		{"without mapping", nameOurs, settings{WithoutMapping: true}, `resource "embed_user_group" "customer" {
  for_each = var.customers

  user_group_id             = each.key
  name                      = each.value.name
  properties                = jsonencode({ tier = each.value.tier, seats = each.value.seats, region = each.value.region })
  rotate_token_when_changed = { quarter = var.quarter }
}
`},
		{"a set", nameOurs, settings{Set: true}, `resource "embed_user_group" "customer" {
  for_each = toset(keys(var.customers))

  user_group_id             = each.key
  name                      = var.customers[each.key].name
  mapping                   = { main = var.customers[each.key].source }
  properties                = jsonencode({ tier = var.customers[each.key].tier, seats = var.customers[each.key].seats, region = var.customers[each.key].region })
  rotate_token_when_changed = { quarter = var.quarter }
}
`},
		{"the engine's own over a map", nameEngine, settings{}, `resource "terraform_data" "customer" {
  for_each = var.customers

  input = {
    user_group_id = each.key
    name          = each.value.name
    mapping       = { main = each.value.source }
    properties    = jsonencode({ tier = each.value.tier, seats = each.value.seats, region = each.value.region })
    quarter       = var.quarter
  }
}
`},
		{"the engine's own over a set", nameEngine, settings{Set: true}, `resource "terraform_data" "customer" {
  for_each = toset(keys(var.customers))

  input = {
    user_group_id = each.key
    name          = var.customers[each.key].name
    mapping       = { main = var.customers[each.key].source }
    properties    = jsonencode({ tier = var.customers[each.key].tier, seats = var.customers[each.key].seats, region = var.customers[each.key].region })
    quarter       = var.quarter
  }
}
`},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(all, func(c contender) bool { return c.name == one.contender })
			got, err := one.with.render(all[i].template)
			if err != nil {
				t.Fatal(err)
			}
			_, resource, _ := strings.Cut(string(got), "\nresource ")
			if diff := cmp.Diff(one.want, "resource "+resource); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestContendersWithOneNameAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{nameOurs, nameWire, "old"} {
		if _, err := contenders(programs{}, []string{"old=/a", name + "=/b"}); err == nil {
			t.Error(name, "was taken twice")
		}
	}
}
