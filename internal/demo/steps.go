package main

import (
	"context"
	"fmt"
	"reflect"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The customers of the example that something happens to.
const (
	renamed = "tamarack-dental"
	rotated = "sastrugi-cold-chain"
	removed = "quillfeather"

	imported      = "lanternfish-labs"
	importedEntry = `- id: lanternfish-labs
  name: Lanternfish Labs Inc.
  token_issue: 1
  mapping:
    assays: lanternfish_assays
  properties:
    tier: standard
    seats: 25
`

	taken      = "old-mill-bakers"
	takenEntry = `- id: old-mill-bakers
  name: Old Mill Bakers' Cooperative
  token_issue: 1
`
)

func steps() []step {
	return []step{
		{
			"the provider is installed",
			"A user's first command. Here the provider comes from a directory instead of\n" +
				"the registry, so the engine finds no signature and no checksums of other\n" +
				"platforms, and says so.",
			showInit,
		},
		{
			"customers.yaml becomes user groups",
			"Each customer of the file becomes a user group at the service, by one call.\n" +
				"Tokens are sensitive and not shown, but their fingerprints are.",
			showApply,
		},
		{
			"nothing has drifted",
			"A second plan looks at each group by one call. With -detailed-exitcode it ends\n" +
				"with 0: nothing to do.",
			showNoDrift,
		},
		{
			"a customer is renamed",
			"A name is updated in place. The token stays, and is not even planned anew.",
			showRename,
		},
		{
			"a token is rotated by its trigger",
			"A changed trigger rotates the token of that one group, in place: the\n" +
				"fingerprint changes, team_id does not.",
			showRotation,
		},
		{
			"a group is deleted behind Terraform's back",
			"Somebody deletes a group elsewhere. The service has no way to look a group up\n" +
				"that would not create it when it is absent; the provider removes what its own\n" +
				"look has made. So the plan adds the group, and meanwhile no empty shell of it\n" +
				"is left at the service.",
			showHealing,
		},
		{
			"an existing group is imported",
			"A group that was made by hand comes under management. Its token is in use, so\n" +
				"it stays. The service never shows a mapping, so the first apply sends it once.",
			showImport,
		},
		{
			"taking over an existing group is refused",
			"The service hands an existing group to anybody who creates one of the same id.\n" +
				"Here that is an error, which changes nothing and tells the ways out.",
			showRefusal,
		},
		{
			"everything is destroyed",
			"One call for each group of the state. The group of the step before, which is\n" +
				"not ours, stays.",
			showDestroy,
		},
	}
}

func showInit(ctx context.Context, d *demo) error {
	if err := d.run(ctx, 0, "init"); err != nil {
		return err
	}
	d.expectCalls(calls{})
	return nil
}

func showApply(ctx context.Context, d *demo) error {
	count, err := d.customers.count()
	if err != nil {
		return err
	}
	_, state, err := d.runAndLook(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	d.expectCalls(calls{get: count})
	d.expect(count == len(d.service.Groups()), "%d customers in the file, as many groups at the service", count)
	d.expect(count == len(state) && d.stateIsTrue(), "the state has the name, token and team_id of each")
	return nil
}

// stateIsTrue reports whether the state has of each of its groups what the service has.
func (d *demo) stateIsTrue() bool {
	for id, group := range d.state {
		theirs, exists := d.service.Group(id)
		if !exists || group.Name != theirs.Name || group.Token != theirs.Token || group.TeamID.String() != fmt.Sprint(theirs.TeamID) {
			return false
		}
	}
	return true
}

func showNoDrift(ctx context.Context, d *demo) error {
	if err := d.run(ctx, 0, "plan", "-detailed-exitcode"); err != nil {
		return err
	}
	d.expectCalls(calls{get: len(d.state)})
	return nil
}

func showRename(ctx context.Context, d *demo) error {
	const name = "Tamarack Dental Partners"
	if err := d.edit(d.customers.change(renamed, "Tamarack Dental Group", name)); err != nil {
		return err
	}
	before, after, err := d.runAndLook(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	d.expectCalls(calls{get: len(after), put: 1})
	d.expect(after[renamed].Name == name && d.stateIsTrue(), "the group is called %s, here and at the service", name)
	d.expectOthersKept(before, after, renamed)
	d.expect(before[renamed].Token == after[renamed].Token, "so did the one that was renamed")
	return d.planIsEmpty(ctx)
}

func showRotation(ctx context.Context, d *demo) error {
	if err := d.edit(d.customers.change(rotated, "token_issue: 1", "token_issue: 2")); err != nil {
		return err
	}
	before, after, err := d.runAndLook(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	was, is := before[rotated], after[rotated]
	d.expectCalls(calls{get: len(after), post: 1})
	d.expect(was.Fingerprint != is.Fingerprint && was.Token != is.Token && d.service.Rotations(rotated) == 1,
		"the fingerprint of its token was %s and is %s", was.Fingerprint, is.Fingerprint)
	d.expect(was.TeamID == is.TeamID, "team_id was and is %s", is.TeamID)
	d.expectOthersKept(before, after, rotated)
	d.expect(d.stateIsTrue(), "the token in the state is the one that the service accepts")
	return d.planIsEmpty(ctx)
}

func showHealing(ctx context.Context, d *demo) error {
	d.expect(d.service.Remove(removed), "%s was deleted at the service, by somebody else", removed)
	if err := d.run(ctx, 2, "plan", "-detailed-exitcode", "-out=heal.tfplan"); err != nil {
		return err
	}
	_, exists := d.service.Group(removed)
	d.expectCalls(calls{get: len(d.state), deletes: 1})
	d.expect(!exists && len(d.service.Groups()) == len(d.state)-1, "looking has left no shell: the service has %d groups", len(d.service.Groups()))

	before, after, err := d.runAndLook(ctx, 0, "apply", "heal.tfplan")
	if err != nil {
		return err
	}
	d.expectCalls(calls{get: 1})
	d.expect(len(d.service.Groups()) == len(after) && len(after) == len(before) && d.stateIsTrue(), "the group is there again, %d in all", len(after))
	d.expect(before[removed].TeamID != after[removed].TeamID && before[removed].Token != after[removed].Token,
		"it is a new one, with team_id %s and another token (fingerprint %s)", after[removed].TeamID, after[removed].Fingerprint)
	d.expectOthersKept(before, after, removed)
	return d.planIsEmpty(ctx)
}

func showImport(ctx context.Context, d *demo) error {
	byHand := d.service.Seed(emulator.Group{
		ID: imported, Name: "Lanternfish Labs Inc.", Properties: []byte(`{"seats": 25, "tier": "standard"}`),
	})
	if err := d.edit(d.customers.add(importedEntry)); err != nil {
		return err
	}
	before, after, err := d.runAndLook(ctx, 0, "import", `embed_user_group.customer["`+imported+`"]`, imported)
	if err != nil {
		return err
	}
	d.expectCalls(calls{get: 1})
	d.expect(after[imported].Token == byHand.Token && d.stateIsTrue(), "the state has it, with the token that it had (fingerprint %s)", after[imported].Fingerprint)

	if _, after, err = d.runAndLook(ctx, 0, "apply", "-auto-approve"); err != nil {
		return err
	}
	d.expectCalls(calls{get: len(after), put: 1})
	d.expect(d.service.Creations(imported) == 0 && after[imported].Token == byHand.Token && d.stateIsTrue(), "it is the same group with the same token")
	now, _ := d.service.Group(imported)
	d.expect(now.Mapping["assays"] == "lanternfish_assays", "and the service has its mapping now")
	d.expectOthersKept(before, after)
	return d.planIsEmpty(ctx)
}

func showRefusal(ctx context.Context, d *demo) error {
	theirs := d.service.Seed(emulator.Group{ID: taken, Name: "Old Mill (do not touch)", Mapping: map[string]string{"orders": "old_mill"}})
	if err := d.edit(d.customers.add(takenEntry)); err != nil {
		return err
	}
	before, after, err := d.runAndLook(ctx, 1, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	d.expectCalls(calls{get: len(after) + 1})
	now, _ := d.service.Group(taken)
	d.expect(d.screen.showed(`"`+taken+`" already exists`), "the message names the id")
	d.expect(reflect.DeepEqual(now, theirs), "the group that has the id is as it was")
	_, managed := after[taken]
	d.expect(!managed && d.stateIsTrue(), "the state does not have it")
	d.expectOthersKept(before, after)
	d.screen.paragraph()
	d.screen.say("The group belongs to somebody else, so the entry goes again.")
	if err := d.edit(d.customers.drop(taken)); err != nil {
		return err
	}
	return d.planIsEmpty(ctx)
}

func showDestroy(ctx context.Context, d *demo) error {
	count := len(d.state)
	_, after, err := d.runAndLook(ctx, 0, "destroy", "-auto-approve")
	if err != nil {
		return err
	}
	d.expectCalls(calls{get: count, deletes: count})
	left := d.service.Groups()
	d.expect(len(after) == 0, "the state is empty")
	d.expect(len(left) == 1 && left[0].ID == taken, "the service has one group left: %s", taken)
	return nil
}

// edit shows an edit of the customer file.
func (d *demo) edit(changed []string, err error) error {
	if err == nil {
		d.screen.edited(changed)
	}
	return err
}
