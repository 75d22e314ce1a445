//go:build race

package usergroup_test

// The race detector makes the search ten times as slow, and no history has two operations at a time.
const mishapsByDefault = 1
