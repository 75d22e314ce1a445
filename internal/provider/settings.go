package provider

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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
	var r reader
	s := settings{
		client: api.Config{
			URL:               r.address(m),
			APIKey:            r.key(m),
			RequestTimeout:    r.duration("request_timeout", m.RequestTimeout, 30*time.Second),
			MaxRetries:        int(r.whole("max_retries", m.MaxRetries, 4, mostRetries)),
			RetryWaitMax:      r.duration("retry_wait_max", m.RetryWaitMax, 30*time.Second),
			RequestsPerSecond: r.rate("requests_per_second", m.RequestsPerSecond),
			Headers:           r.headers(m),
			RootCAs:           r.authorities("ca_cert_pem", m.CACertPEM),
			ClientCertificate: r.clientCertificate(m),
			UserAgent:         userAgent(version, cliVersion),
		},
		groups: usergroup.Settings{
			Environment:          r.text("environment", m.Environment),
			DataSourceProvidedID: r.text("data_source_provided_id", m.DataSourceProvidedID),
		},
	}
	if tag := s.groups.Environment; tag != "" && !slices.Contains(environments, tag) {
		r.invalid("environment", "must be Customer or Testing")
	}
	const noLimit = -1
	if limit := r.whole("max_deletions", m.MaxDeletions, noLimit, mostDeletions); limit != noLimit {
		s.maxDeletions = &limit
	}
	return s, r.faults
}

// fault is what is wrong with an argument. It never contains a value, which could be a key in the wrong place.
type fault struct{ argument, why string }

const isMissing = "is required"

func variable(argument string) string { return "EMBED_" + strings.ToUpper(argument) }

// report adds the fault to the diagnostics. Terraform prints the line of the configuration that an error points to. If
// the argument may contain a secret, the error therefore points to the provider block.
func (f fault) report(diags *diag.Diagnostics) {
	title := titleArgumentInvalid
	text := f.argument + " (or the environment variable " + variable(f.argument) + ") " + f.why + ". No call was made."
	if f.why == isMissing {
		title = titleArgumentMissing
		text = f.argument + " is required: set it in the provider block, or set the environment variable " +
			variable(f.argument) + ". An empty string in the provider block overrides the variable. No call was made."
	}
	switch f.argument {
	case "api_key", "headers", "client_cert_pem", "base_url": // A base_url may include a password by mistake.
		diags.AddError(title, text)
	default:
		diags.AddAttributeError(path.Root(f.argument), title, text)
	}
}

// reader reads arguments from the configuration or, if they are not set there, from the environment.
type reader struct{ faults []fault }

func (r *reader) invalid(argument, why string) { r.faults = append(r.faults, fault{argument, why}) }

// text returns the text of an argument, in the notation of an environment variable, or "" if it has none.
func (r *reader) text(argument string, configured attr.Value) string {
	switch text, isText := configured.(types.String); {
	case configured.IsNull():
		return os.Getenv(variable(argument))
	case configured.IsUnknown():
		return ""
	case isText:
		return text.ValueString()
	default:
		return configured.String()
	}
}

// setting returns the value of an argument, or the default if it has none. wanted says what the value must be.
func setting[T any](
	r *reader, argument string, configured attr.Value, byDefault T, wanted string, parse func(string) (T, bool),
) T {
	text := r.text(argument, configured)
	if text == "" {
		return byDefault
	}
	value, ok := parse(text)
	if !ok {
		r.invalid(argument, "must be "+wanted)
	}
	return value
}

func (r *reader) whole(argument string, configured attr.Value, byDefault, most int64) int64 {
	wanted := fmt.Sprintf("a whole number between 0 and %d", most)
	return setting(r, argument, configured, byDefault, wanted, func(text string) (int64, bool) {
		number, err := strconv.ParseInt(text, 10, 64)
		return number, err == nil && number >= 0 && number <= most
	})
}

func (r *reader) rate(argument string, configured attr.Value) float64 {
	wanted := fmt.Sprintf("a number of at least %v", leastRate)
	return setting(r, argument, configured, 0, wanted, func(text string) (float64, bool) {
		rate, err := strconv.ParseFloat(text, 64)
		return rate, err == nil && rate >= leastRate
	})
}

func (r *reader) duration(argument string, configured attr.Value, byDefault time.Duration) time.Duration {
	const wanted = `a duration above zero, such as "30s", "500ms" or "2m"`
	return setting(r, argument, configured, byDefault, wanted, func(text string) (time.Duration, bool) {
		duration, err := time.ParseDuration(text)
		return duration, err == nil && duration > 0
	})
}

func (r *reader) flag(argument string, configured attr.Value) bool {
	return setting(r, argument, configured, false, "true or false", func(text string) (bool, bool) {
		yes, err := strconv.ParseBool(text)
		return yes, err == nil
	})
}

func (r *reader) authorities(argument string, configured attr.Value) *x509.CertPool {
	const wanted = "one or more certificates in PEM format"
	return setting(r, argument, configured, nil, wanted, func(text string) (*x509.CertPool, bool) {
		pool := x509.NewCertPool()
		return pool, pool.AppendCertsFromPEM([]byte(text))
	})
}

func (r *reader) address(m providerModel) *url.URL {
	text := r.text("base_url", m.BaseURL)
	if text == "" {
		r.invalid("base_url", isMissing)
		return nil
	}
	address, err := api.ParseBaseURL(text, r.flag("allow_http", m.AllowHTTP))
	switch {
	case errors.Is(err, api.ErrCredentials):
		r.invalid("base_url", err.Error()+"; the key goes into api_key")
	case errors.Is(err, api.ErrPlainHTTP):
		r.invalid("base_url", err.Error()+", and elsewhere with allow_http = true")
	case err != nil:
		r.invalid("base_url", err.Error())
	}
	return address
}

func (r *reader) key(m providerModel) api.Secret {
	key := strings.TrimSpace(r.text("api_key", m.APIKey))
	if hidden, found := invisible(key); found {
		r.invalid("api_key", fmt.Sprintf("must be a single line without invisible characters; it contains %U", hidden))
	} else if key == "" {
		r.invalid("api_key", isMissing)
	}
	return api.NewSecret(key)
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
	}
	return &pair
}

// reservedHeaders carry the credential, describe the body, or change how the connection works.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Cache-Control", "Connection", "Content-Length", "Content-Type",
	"Expect", "Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

func (r *reader) headers(m providerModel) map[string]api.Secret {
	const argument = "headers"
	texts := map[string]string{}
	if m.Headers.IsNull() {
		text := r.text(argument, m.Headers)
		if text != "" && json.Unmarshal([]byte(text), &texts) != nil {
			r.invalid(argument, "must be a JSON object with string values")
			return nil
		}
	}
	for name, value := range m.Headers.Elements() {
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
// service as the provider does, and the default data_source_provided_id. The error lists every environment variable
// that is missing or invalid.
func ClientFromEnvironment(version string) (api.Config, string, error) {
	s, faults := providerModel{}.settings(version, "")
	var all []error
	for _, fault := range faults {
		all = append(all, fmt.Errorf("%s %s", variable(fault.argument), fault.why))
	}
	return s.client, s.groups.DataSourceProvidedID, errors.Join(all...)
}
