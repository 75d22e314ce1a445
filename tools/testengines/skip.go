package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dashembed/terraform-provider-embed/tools/testrun/gotest"
)

// A reason is the message with which the acceptance tests skip, taken apart.
type reason struct {
	feature string
	// terraform and openTofu are the first versions with the feature, or never.
	terraform, openTofu string
	// engine and version are what the test took the engine for.
	engine, version string
}

const never = "none"

var reasonForm = regexp.MustCompile(
	`^needs (.+): Terraform >= ([0-9.]+|none), OpenTofu >= ([0-9.]+|none) \(this is (\S+) (\S+)\)$`)

func parseReason(text string) (reason, bool) {
	parts := reasonForm.FindStringSubmatch(text)
	if parts == nil {
		return reason{}, false
	}
	return reason{parts[1], parts[2], parts[3], parts[4], parts[5]}, true
}

// least is the first version of this engine with the feature.
func (r reason) least(engine gotest.Engine) string {
	if engine.Name == "OpenTofu" {
		return r.openTofu
	}
	return r.terraform
}

// explain returns why a test was skipped, or what is wrong with that.
func explain(engine gotest.Engine, isNewest bool, skip gotest.Skip) (why, problem string) {
	r, understood := parseReason(skip.Reason)
	said := fmt.Sprintf("%s %s was skipped: %s", skip.Package, skip.Test, skip.Reason)
	switch {
	case !understood:
		return "", said + " (it names no minimal version)"
	case r.engine != engine.Name || r.version != engine.Version:
		return "", said + fmt.Sprintf(" (the engine is %s)", engine)
	case isNewest:
		return "", said + " (nothing may be skipped on the newest Terraform)"
	case r.least(engine) == never:
		return r.feature + " (none yet)", ""
	case !below(engine.Version, r.least(engine)):
		return "", said + " (the engine is not older)"
	}
	return fmt.Sprintf("%s (%s)", r.feature, r.least(engine)), ""
}

// below compares versions number by number. What follows a hyphen or a plus does not count, and what is missing is zero.
func below(version, than string) bool {
	a, b := numbers(version), numbers(than)
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func numbers(version string) (found [3]int) {
	if at := strings.IndexAny(version, "-+"); at >= 0 {
		version = version[:at]
	}
	for i, part := range strings.SplitN(version, ".", len(found)) {
		found[i], _ = strconv.Atoi(part)
	}
	return found
}

// newestTerraform is the path of the newest one, or nothing where there are not several to choose from.
func newestTerraform(engines []gotest.Engine) (path string) {
	var newest gotest.Engine
	several := 0
	for _, engine := range engines {
		if engine.Name != "Terraform" {
			continue
		}
		several++
		if newest.Path == "" || below(newest.Version, engine.Version) {
			newest = engine
		}
	}
	if several < 2 {
		return ""
	}
	return newest.Path
}
