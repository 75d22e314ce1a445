package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// tokenFingerprintFunction is provider::embed::token_fingerprint.
type tokenFingerprintFunction struct{}

func newTokenFingerprintFunction() function.Function { return tokenFingerprintFunction{} }

func (tokenFingerprintFunction) Metadata(
	_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse,
) {
	resp.Name = "token_fingerprint"
}

func (tokenFingerprintFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: "Fingerprint of a user group token",
		MarkdownDescription: "Returns the fingerprint of a user group token: the first 12 hexadecimal digits of its " +
			"SHA-256 hash, as in the resource's `token_fingerprint`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "token",
			MarkdownDescription: "The token, exactly as the service returned it. Not empty.",
			Validators:          []function.StringParameterValidator{stringvalidator.LengthAtLeast(1)},
		}},
		Return: function.StringReturn{},
	}
}

func (tokenFingerprintFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var token string
	resp.Error = req.Arguments.Get(ctx, &token)
	resp.Error = function.ConcatFuncErrors(resp.Error, resp.Result.Set(ctx, api.NewSecret(token).Fingerprint()))
}
