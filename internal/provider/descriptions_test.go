package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"**Never** use `timestamp()`, see [the guide](../guides/a_b.md).":             "Never use timestamp(), see the guide.",
		"a *user group* at the service, and the `*_wo_version` arguments of *others*": "a user group at the service, and the *_wo_version arguments of others",
		"`{ quarter = \"2026-Q4\" }` and 2 * 3 * 4":                                   "{ quarter = \"2026-Q4\" } and 2 * 3 * 4",
	} {
		if got := plain(markdown); got != want {
			t.Errorf("%q became %q, want %q", markdown, got, want)
		}
	}
}

type plainlyDescribed interface {
	GetDescription() string
	GetMarkdownDescription() string
}

// The protocol carries the Markdown alone where there is any, so this looks at the schemas themselves.
func TestSchemasAreDescribedPlainlyToo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	all := map[string]plainlyDescribed{}
	var ofProvider provider.SchemaResponse
	(&embedProvider{}).Schema(ctx, provider.SchemaRequest{}, &ofProvider)
	all["provider"] = ofProvider.Schema
	collect(all, "provider", ofProvider.Schema.Attributes)
	var ofResource resource.SchemaResponse
	newUserGroupResource().Schema(ctx, resource.SchemaRequest{}, &ofResource)
	all["resource"] = ofResource.Schema
	collect(all, "resource", ofResource.Schema.Attributes)
	var ofData datasource.SchemaResponse
	newUserGroupDataSource().Schema(ctx, datasource.SchemaRequest{}, &ofData)
	all["data source"] = ofData.Schema
	collect(all, "data source", ofData.Schema.Attributes)
	var ofEphemeral ephemeral.SchemaResponse
	newUserGroupTokenEphemeralResource().Schema(ctx, ephemeral.SchemaRequest{}, &ofEphemeral)
	all["ephemeral resource"] = ofEphemeral.Schema
	collect(all, "ephemeral resource", ofEphemeral.Schema.Attributes)
	var ofAction action.SchemaResponse
	newRotateUserGroupTokenAction().Schema(ctx, action.SchemaRequest{}, &ofAction)
	all["action"] = ofAction.Schema
	collect(all, "action", ofAction.Schema.Attributes)
	var ofList list.ListResourceSchemaResponse
	newUserGroupListResource().ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &ofList)
	all["list resource"] = ofList.Schema
	collect(all, "list resource", ofList.Schema.Attributes)

	marks := regexp.MustCompile("`|\\*\\*|\\]\\(")
	for what, described := range all {
		text := described.GetDescription()
		if text == "" || len(text) > len(described.GetMarkdownDescription()) || marks.MatchString(text) || strings.TrimSpace(text) != text {
			t.Errorf("%s is described as %q", what, text)
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d descriptions were looked at", len(all))
	}
}

func collect[A plainlyDescribed](all map[string]plainlyDescribed, of string, attributes map[string]A) {
	for name, attribute := range attributes {
		all[of+"."+name] = attribute
	}
}
