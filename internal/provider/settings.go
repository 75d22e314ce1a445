package provider

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

const (
	titleArgumentMissing = "A provider argument is missing"
	titleArgumentInvalid = "A provider argument is invalid"
)

// environments are the values of environment (interface section 2.2).
var environments = []string{"Customer", "Testing"}

// settings contains the validated arguments of the provider.
type settings struct {
	client       api.Config
	groups       usergroup.Settings
	maxDeletions *int64 // nil for no limit
}

// settings reads and validates all arguments. It does not stop at the first fault, so that one run shows all of them.
// Unknown values count as not set.
func (m providerModel) settings(version, cliVersion string) (settings, []fault) {
	var read reader
	s := settings{
		client: api.Config{
			APIKey:            read.key("api_key", m.APIKey),
			RequestTimeout:    read.duration("request_timeout", m.RequestTimeout, 30*time.Second),
			MaxRetries:        int(*read.whole("max_retries", m.MaxRetries, mostRetries, new(int64(4)))),
			RetryWaitMax:      read.duration("retry_wait_max", m.RetryWaitMax, 30*time.Second),
			RequestsPerSecond: read.rate("requests_per_second", m.RequestsPerSecond),
			Headers:           read.headers("headers", m.Headers),
			RootCAs:           read.authorities("ca_cert_pem", m.CACertPEM),
			ClientCertificate: read.clientCertificate(m),
			UserAgent:         userAgent(version, cliVersion),
		},
		groups: usergroup.Settings{
			Environment:          read.text("environment", m.Environment),
			DataSourceProvidedID: read.text("data_source_provided_id", m.DataSourceProvidedID),
		},
		maxDeletions: read.whole("max_deletions", m.MaxDeletions, mostDeletions, nil),
	}
	var err error
	allowHTTP := read.flag("allow_http", m.AllowHTTP)
	if text := read.text("base_url", m.BaseURL); text == "" {
		read.missing("base_url")
	} else if s.client.URL, err = api.ParseBaseURL(text, allowHTTP); err != nil {
		read.invalid("base_url", err.Error()+completions[err])
	}
	if tag := s.groups.Environment; tag != "" && !slices.Contains(environments, tag) {
		read.invalid("environment", "must be Customer or Testing")
	}
	return s, read.faults
}

// completions say what a user can do about errors of api.ParseBaseURL.
var completions = map[error]string{
	api.ErrCredentials: "; the key goes into api_key",
	api.ErrPlainHTTP:   ", and elsewhere with allow_http = true",
}

// fault is what is wrong with an argument. It never contains a value, which could be a key in the wrong place.
type fault struct{ argument, why string }

const isMissing = "is required"

func variable(argument string) string { return "EMBED_" + strings.ToUpper(argument) }

// report adds the fault to the diagnostics. Terraform prints the line of the configuration that an error points to. If
// the argument may contain a secret, the error therefore points to the provider block.
func (f fault) report(diags *diag.Diagnostics) {
	title := titleArgumentInvalid
	text := fmt.Sprintf("%s (or the environment variable %s) %s. No call was made.", f.argument, variable(f.argument), f.why)
	if f.why == isMissing {
		title, text = titleArgumentMissing, fmt.Sprintf("%s is required: set it in the provider block, or set the environment "+
			"variable %s. An empty string in the provider block overrides the variable. No call was made.",
			f.argument, variable(f.argument))
	}
	switch f.argument {
	case "api_key", "headers", "client_cert_pem", "base_url": // A base_url may include a password by mistake.
		diags.AddError(title, text)
	default:
		diags.AddAttributeError(path.Root(f.argument), title, text)
	}
}

// reader reads arguments from the configuration or, if they are not set there, from the environment. An argument without
// a value is empty, zero or nil.
type reader struct{ faults []fault }

func (r *reader) missing(argument string)      { r.invalid(argument, isMissing) }
func (r *reader) invalid(argument, why string) { r.faults = append(r.faults, fault{argument, why}) }

func (r *reader) text(argument string, configured types.String) string {
	if configured.IsNull() {
		return os.Getenv(variable(argument))
	}
	return configured.ValueString()
}

// number calls parse with the value of the environment variable, if that is set.
func (r *reader) number(argument, wanted string, parse func(string) bool) {
	if text := os.Getenv(variable(argument)); text != "" && !parse(text) {
		r.invalid(argument, "must be "+wanted)
	}
}

func (r *reader) flag(argument string, configured types.Bool) (yes bool) {
	if !configured.IsNull() {
		return configured.ValueBool()
	}
	r.number(argument, "true or false", func(text string) bool {
		parsed, err := strconv.ParseBool(text)
		yes = parsed
		return err == nil
	})
	return yes
}

func (r *reader) whole(argument string, configured types.Int64, most int64, byDefault *int64) *int64 {
	if configured.IsUnknown() {
		return byDefault
	}
	if !configured.IsNull() {
		return configured.ValueInt64Pointer()
	}
	value := byDefault
	r.number(argument, fmt.Sprintf("a whole number between 0 and %d", most), func(text string) bool {
		parsed, err := strconv.ParseInt(text, 10, 64)
		value = &parsed
		return err == nil && parsed >= 0 && parsed <= most
	})
	return value
}

func (r *reader) rate(argument string, configured types.Float64) float64 {
	value := configured.ValueFloat64()
	if configured.IsNull() {
		r.number(argument, fmt.Sprintf("a number of at least %v", leastRate), func(text string) bool {
			parsed, err := strconv.ParseFloat(text, 64)
			value = parsed
			return err == nil && parsed >= leastRate
		})
	}
	return value
}

func (r *reader) duration(argument string, configured types.String, byDefault time.Duration) time.Duration {
	text := r.text(argument, configured)
	if text == "" {
		return byDefault
	}
	duration, ok := parseDuration(text)
	if !ok {
		r.invalid(argument, mustBeDuration)
	}
	return duration
}

func (r *reader) key(argument string, configured types.String) api.Secret {
	key := strings.TrimSpace(r.text(argument, configured))
	if key == "" {
		r.missing(argument)
	}
	if hidden, found := invisible(key); found {
		r.invalid(argument, fmt.Sprintf("must be a single line without invisible characters; it contains %U", hidden))
	}
	return api.NewSecret(key)
}

func (r *reader) authorities(argument string, configured types.String) *x509.CertPool {
	text := r.text(argument, configured)
	if text == "" {
		return nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		r.invalid(argument, "must contain at least one certificate in PEM format")
	}
	return pool
}

func (r *reader) clientCertificate(m providerModel) *tls.Certificate {
	certificate, key := r.text("client_cert_pem", m.ClientCertPEM), r.text("client_key_pem", m.ClientKeyPEM)
	if certificate == "" && key == "" {
		return nil
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		r.invalid("client_cert_pem", fmt.Sprintf("and client_key_pem must contain a certificate and its private key, in PEM "+
			"format and without a passphrase (%s)", err))
		return nil
	}
	return &pair
}

// reservedHeaders carry the credential, describe the body, or change how the connection works.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Expect",
	"Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

func (r *reader) headers(argument string, configured types.Map) map[string]api.Secret {
	texts := map[string]string{}
	if configured.IsNull() {
		if text := os.Getenv(variable(argument)); text != "" && json.Unmarshal([]byte(text), &texts) != nil {
			r.invalid(argument, "must be a JSON object with string values")
			return nil
		}
	}
	for name, value := range configured.Elements() {
		text, _ := value.(types.String)
		texts[name] = text.ValueString()
	}
	headers := make(map[string]api.Secret, len(texts))
	for name, text := range texts {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		_, twice := headers[canonical]
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			r.invalid(argument, fmt.Sprintf("contains %q, which is not a valid header name", name))
		case twice:
			r.invalid(argument, fmt.Sprintf("contains %s twice (header names are not case-sensitive)", canonical))
		case slices.Contains(reservedHeaders, canonical):
			r.invalid(argument, fmt.Sprintf("must not contain %s, which is reserved", canonical))
		case text == "" || !httpguts.ValidHeaderFieldValue(text):
			r.invalid(argument, fmt.Sprintf("has no value for %q, or one with control characters", name))
		}
		headers[canonical] = api.NewSecret(text)
	}
	return headers
}

// userAgent returns the value of the User-Agent header. It says CLI, because neither the protocol nor the environment
// shows whether the version is that of Terraform or of OpenTofu.
func userAgent(version, cliVersion string) string {
	agent := "terraform-provider-embed/" + version
	if cliVersion != "" {
		agent += " (CLI " + cliVersion + ")"
	}
	if more := strings.TrimSpace(os.Getenv("TF_APPEND_USER_AGENT")); more != "" && httpguts.ValidHeaderFieldValue(more) {
		agent += " " + more
	}
	return agent
}

// ClientFromEnvironment returns what a provider block without arguments configures, for commands that reach the
// service as the provider does, and the default data_source_provided_id. The error lists every environment variable that
// is missing or invalid.
func ClientFromEnvironment(version string) (api.Config, string, error) {
	s, faults := providerModel{}.settings(version, "")
	var all []error
	for _, fault := range faults {
		all = append(all, fmt.Errorf("%s %s", variable(fault.argument), fault.why))
	}
	return s.client, s.groups.DataSourceProvidedID, errors.Join(all...)
}
