//go:build !race

package usergroup_test

const mishapsByDefault = 2
