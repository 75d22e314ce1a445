package main

import (
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/testengine"
	"github.com/dashembed/terraform-provider-embed/tools/testrun/gotest"
)

// explain returns why a test was skipped, or what is wrong with that.
func explain(on engine.Engine, isNewest bool, skip gotest.Skip) (why, problem string) {
	reason, understood := testengine.ParseReason(skip.Reason)
	least := reason.Least(on)
	said := fmt.Sprintf("%s %s was skipped: %s", skip.Package, skip.Test, skip.Reason)
	switch {
	case !understood:
		return "", said + " (it names no minimal version)"
	case reason.Engine != on.Name || reason.Version != on.Version:
		return "", said + fmt.Sprintf(" (the engine is %s)", on)
	case isNewest:
		return "", said + " (nothing may be skipped on the newest Terraform)"
	case least == testengine.None:
		return fmt.Sprintf("%s (none yet)", reason.Feature), ""
	case !engine.Older(on.Version, least):
		return "", said + " (the engine is not older)"
	}
	return fmt.Sprintf("%s (%s)", reason.Feature, least), ""
}

// newestTerraform is the path of the newest one, or nothing where there are not several to choose from.
func newestTerraform(engines []gotest.Engine) (path string) {
	var newest gotest.Engine
	several := 0
	for _, one := range engines {
		if one.Name != engine.Terraform {
			continue
		}
		several++
		if newest.Path == "" || engine.Older(newest.Version, one.Version) {
			newest = one
		}
	}
	if several < 2 {
		return ""
	}
	return newest.Path
}
