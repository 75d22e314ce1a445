package provider

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestEveryObstacleHasAdvice checks that the advice for an obstacle names what to change. It replaces the advice for
// the kind of the failure, except for an unknown outcome, where it comes first.
func TestEveryObstacleHasAdvice(t *testing.T) {
	t.Parallel()
	names := map[api.Obstacle]string{
		api.ExpiredCertificate:      "clock",
		api.UnknownAuthority:        "Set ca_cert_file or ca_cert_pem",
		api.OtherName:               "set tls_server_name",
		api.NoTLS:                   "the scheme and the port in base_url",
		api.TLSWanted:               "https://",
		api.HandshakeRefused:        "TLS 1.2",
		api.ClientCertificateWanted: "set client_cert_file and client_key_file",
		api.ProxyPasswordWanted:     "proxy_url (EMBED_PROXY_URL)",
		api.ProxyForbids:            "NO_PROXY",
		api.ProxyCannotConnect:      "resolve",
		api.BodyDropped:             "PUT or POST calls have worked, so something between",
		api.BodyMayBeDropped:        "may drop or refuse the body of GET requests",
		api.FieldsMayBeDropped:      "drops the body of GET requests",
		api.RefusedOnTheWay:         "the API key may be correct",
		api.WrongAddress:            "no call has reached the service there yet",
		api.ForeignResponse:         "does not come from the service. Check base_url",
	}
	constants := constantsOfAPI(t, "Obstacle")
	for value, constant := range constants[1:] {
		call := api.Error{Kind: api.Refused, Method: "GET", Obstacle: api.Obstacle(value + 1)}
		problem := usergroup.Problem{Operation: usergroup.Update, Call: &call}
		want, got := names[call.Obstacle], explanation{&problem}.next()
		if want == "" || !strings.Contains(got, want) || strings.Contains(got, "{") {
			t.Errorf("%s: %q, want %q", constant, got, want)
		}
		want = got + " " + operationWords[usergroup.Update].next
		call.Kind, problem.Done = api.UnknownOutcome, usergroup.Maybe
		if got := (explanation{&problem}).next(); got != want {
			t.Errorf("%s with an unknown outcome: %q, want %q", constant, got, want)
		}
	}
	if len(names) != len(constants)-1 {
		t.Errorf("%d obstacles, want %d", len(constants)-1, len(names))
	}
}

// TestEveryKindHasAdvice checks that without an obstacle, the advice follows from the kind, or from the operation if
// the kind says too little.
func TestEveryKindHasAdvice(t *testing.T) {
	t.Parallel()
	for kind, constant := range constantsOfAPI(t, "Kind") {
		call := api.Error{Kind: api.Kind(kind)}
		problem := usergroup.Problem{Operation: usergroup.Update, Done: usergroup.Maybe, Call: &call}
		got, ofOperation := explanation{&problem}.next(), operationWords[usergroup.Update].next
		ofKind := kind != int(api.UnknownOutcome) && kind != int(api.Incomplete)
		if got == "" || (got != ofOperation) != ofKind {
			t.Errorf("%s: %q", constant, got)
		}
	}
}

// TestAPINamesNoArguments checks that internal/api leaves it to this package to name arguments and variables.
func TestAPINamesNoArguments(t *testing.T) {
	t.Parallel()
	names := []string{"EMBED_", "_PROXY"}
	for name := range providerSchema(t).Attributes {
		if strings.Contains(name, "_") {
			names = append(names, name)
		}
	}
	named := regexp.MustCompile(strings.Join(names, "|"))
	inspect(t, "../api", func(node ast.Node) {
		text, is := node.(*ast.BasicLit)
		if is && named.MatchString(text.Value) {
			t.Errorf("internal/api names an argument: %s", text.Value)
		}
	})
}

// constantsOfAPI returns the names of the constants of an enumeration, at the index of their values.
func constantsOfAPI(t *testing.T, enumeration string) (names []string) {
	t.Helper()
	inspect(t, "../api", func(node ast.Node) {
		block, is := node.(*ast.GenDecl)
		if !is || block.Tok != token.CONST {
			return
		}
		first := block.Specs[0].(*ast.ValueSpec)
		if first.Type == nil || types.ExprString(first.Type) != enumeration {
			return
		}
		for _, constant := range block.Specs {
			names = append(names, constant.(*ast.ValueSpec).Names[0].Name)
		}
	})
	if len(names) == 0 {
		t.Fatalf("internal/api has no constants of type %s", enumeration)
	}
	return names
}
