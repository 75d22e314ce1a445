package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

const (
	titleArgumentMissing  = "A provider argument is missing"
	titleArgumentInvalid  = "A provider argument is invalid"
	titleArgumentConflict = "Provider arguments conflict"
)

// settings contains the validated arguments of the provider.
type settings struct {
	client          api.Config
	environment     string
	userAgentSuffix string
	maxDeletions    *int // nil for no limit
}

// settings reads and validates all arguments. It does not stop at the first error, so that one run shows all of them.
func (m providerModel) settings(diags *diag.Diagnostics) settings {
	read := argumentReader{diags: diags}
	var s settings
	allowHTTP := read.flag("allow_http", m.AllowHTTP)
	if text := read.text("base_url", m.BaseURL); text == "" {
		read.missing("base_url", "the address of the service")
	} else if base, err := api.ParseBaseURL(text, allowHTTP); err != nil {
		read.invalid("base_url", err.Error()+addressWords[err])
	} else {
		s.client.BaseURL = base
	}
	s.client.APIKey = read.key(m.APIKey, m.APIKeyFile)
	s.client.RequestTimeout = read.duration("request_timeout", m.RequestTimeout, 30*time.Second)
	s.client.MaxRetries = 4
	if configured := read.count("max_retries", m.MaxRetries, retriesAllowed); configured != nil {
		s.client.MaxRetries = *configured
	}
	s.client.RetryWaitMin = read.duration("retry_wait_min", m.RetryWaitMin, time.Second)
	s.client.RetryWaitMax = read.duration("retry_wait_max", m.RetryWaitMax, max(30*time.Second, s.client.RetryWaitMin))
	if s.client.RetryWaitMax > 0 && s.client.RetryWaitMax < s.client.RetryWaitMin {
		read.conflict("retry_wait_max", "retry_wait_max must not be shorter than retry_wait_min.")
	}
	s.client.RequestsPerSecond = read.rate("requests_per_second", m.RequestsPerSecond)
	s.client.Headers = read.headers("headers", m.Headers)
	s.client.ProxyURL = read.proxy(m.ProxyURL, s.client.BaseURL)
	s.client.RootCAs = read.authorities(m.CACertPEM, m.CACertFile)
	s.client.TLSServerName = read.serverName("tls_server_name", m.TLSServerName)
	s.client.ClientCertificate = read.clientCertificate(m)
	s.userAgentSuffix = read.headerText("user_agent_suffix", m.UserAgentSuffix)
	s.environment = read.environment("environment", m.Environment)
	s.maxDeletions = m.maxDeletions(diags)
	return s
}

// maxDeletions returns the value of max_deletions, or nil if it is not set, unknown or invalid.
func (m providerModel) maxDeletions(diags *diag.Diagnostics) *int {
	if m.MaxDeletions.IsUnknown() {
		return nil
	}
	return argumentReader{diags}.count("max_deletions", m.MaxDeletions, deletionsAllowed)
}

// addressWords completes errors of api.ParseBaseURL with what an argument has to do with them.
var addressWords = map[error]string{
	api.ErrCredentials: "; the key goes into api_key",
	api.ErrPlainHTTP:   ", and elsewhere with allow_http = true",
}

// argumentReader reads arguments from the configuration or, if they are not set there, from the environment. Its
// messages contain the name of the argument but never a value, which could be a key in the wrong place.
type argumentReader struct{ diags *diag.Diagnostics }

func variable(argument string) string { return "EMBED_" + strings.ToUpper(argument) }

func (r argumentReader) missing(argument, what string) {
	r.add(argument, titleArgumentMissing,
		fmt.Sprintf("%s is required: set %s in the provider block, or the environment variable %s. "+
			"An empty string in the provider block overrides the variable. No call was made.",
			capitalized(what), argument, variable(argument)))
}

func (r argumentReader) invalid(argument, why string) {
	r.add(argument, titleArgumentInvalid,
		fmt.Sprintf("%s (or the environment variable %s) %s. No call was made.", argument, variable(argument), why))
}

func (r argumentReader) conflict(argument, why string) {
	r.add(argument, titleArgumentConflict, why+" No call was made.")
}

// add adds an error about an argument. Terraform prints the line of the configuration that an error points to. If the
// argument may contain a secret, the error therefore points to the provider block.
func (r argumentReader) add(argument, title, detail string) {
	switch argument {
	case "api_key", "headers", "proxy_url", "client_key_pem", "base_url": // A base_url may include a password by mistake.
		r.diags.AddError(title, detail)
	default:
		r.diags.AddAttributeError(path.Root(argument), title, detail)
	}
}

// text returns the value of an argument, or the empty string if it is not set.
func (r argumentReader) text(argument string, configured types.String) string {
	if configured.IsNull() {
		return os.Getenv(variable(argument))
	}
	return configured.ValueString()
}

func (r argumentReader) flag(argument string, configured types.Bool) bool {
	if !configured.IsNull() {
		return configured.ValueBool()
	}
	text := os.Getenv(variable(argument))
	yes, err := strconv.ParseBool(text)
	if text != "" && err != nil {
		r.invalid(argument, "must be true or false")
	}
	return yes
}

// duration returns the value of an argument, or byDefault if it is not set. For anything other than a positive
// duration, it adds an error and returns zero.
func (r argumentReader) duration(argument string, configured types.String, byDefault time.Duration) time.Duration {
	text := r.text(argument, configured)
	if text == "" {
		return byDefault
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 {
		r.invalid(argument, `must be a duration above zero, such as "30s", "500ms" or "2m"`)
		return 0
	}
	return duration
}

// wholeNumber is the range of an argument that is a whole number. It validates a NumberAttribute. An Int64Attribute
// would not do, because the framework reports a number that is not whole as an error in the provider.
type wholeNumber struct{ least, most int64 }

const titleNumberInvalid = "Invalid number"

// Description implements validator.Describer.
func (n wholeNumber) Description(context.Context) string {
	return fmt.Sprintf("a whole number between %d and %d", n.least, n.most)
}

// MarkdownDescription implements validator.Describer.
func (n wholeNumber) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

// ValidateNumber implements validator.Number.
func (n wholeNumber) ValidateNumber(
	ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse,
) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, ok := n.read(req.ConfigValue.ValueBigFloat()); !ok {
		detail := fmt.Sprintf("%s must be %s. No call was made.", req.Path, n.Description(ctx))
		resp.Diagnostics.AddAttributeError(req.Path, titleNumberInvalid, detail)
	}
}

// read returns the number, and whether it is whole and in the range. A nil value is not.
func (n wholeNumber) read(value *big.Float) (int64, bool) {
	if value == nil {
		return 0, false
	}
	number, accuracy := value.Int64()
	return number, accuracy == big.Exact && number >= n.least && number <= n.most
}

var (
	retriesAllowed   = wholeNumber{0, 100}
	deletionsAllowed = wholeNumber{0, 1_000_000}
)

// count returns the value of an argument, or nil if it is not set or not in the range.
func (r argumentReader) count(argument string, configured types.Number, allowed wholeNumber) *int {
	value := configured.ValueBigFloat()
	if configured.IsNull() {
		text := os.Getenv(variable(argument))
		if text == "" {
			return nil
		}
		value, _ = new(big.Float).SetString(text)
	}
	count, ok := allowed.read(value)
	if !ok {
		r.invalid(argument, "must be "+allowed.Description(context.Background()))
		return nil
	}
	return new(int(count))
}

func (r argumentReader) rate(argument string, configured types.Float64) float64 {
	if !configured.IsNull() {
		return configured.ValueFloat64()
	}
	text := os.Getenv(variable(argument))
	if text == "" {
		return 0
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate >= 0.01) {
		r.invalid(argument, "must be a number of at least 0.01")
	}
	return rate
}

func (r argumentReader) environment(argument string, configured types.String) string {
	text := r.text(argument, configured)
	if text != "" && text != "Customer" && text != "Testing" {
		r.invalid(argument, `must be "Customer" or "Testing"`)
	}
	return text
}

// content returns the value of an argument, or the content of the file that another argument names. source is the
// name of the argument that was used, or empty if neither is set. If the configuration sets either argument, both
// environment variables are ignored, so that a key in the environment does not conflict with a file in the
// configuration. ok is false if content has added an error.
func (r argumentReader) content(
	argument, fileArgument string, configured, configuredFile types.String,
) (content, source string, ok bool) {
	text, file := configured.ValueString(), configuredFile.ValueString()
	if configured.IsNull() && configuredFile.IsNull() {
		text, file = os.Getenv(variable(argument)), os.Getenv(variable(fileArgument))
	}
	switch {
	case text != "" && file != "":
		r.conflict(argument, fmt.Sprintf("Set only one of %s and %s in the provider block, or only one of %s "+
			"and %s in the environment.", argument, fileArgument, variable(argument), variable(fileArgument)))
		return "", "", false
	case file != "":
		content, err := os.ReadFile(file)
		if err != nil {
			r.invalid(fileArgument, "must name a readable file")
		}
		return string(content), fileArgument, err == nil
	case text != "":
		return text, argument, true
	default:
		return "", "", true
	}
}

func (r argumentReader) key(configured, configuredFile types.String) api.Secret {
	content, source, ok := r.content("api_key", "api_key_file", configured, configuredFile)
	key := strings.TrimSpace(content)
	switch {
	case !ok:
	case key == "" && source == "api_key_file":
		r.invalid(source, "must name a file that contains an API key; this file contains none")
	case key == "":
		r.missing("api_key", "an API key (or a file that contains one, in api_key_file)")
	case strings.ContainsFunc(key, unicode.IsControl):
		r.invalidContent(source, "a single line without control characters")
	}
	return api.NewSecret(key)
}

func (r argumentReader) headers(argument string, configured types.Map) map[string]api.Secret {
	texts := map[string]*string{}
	if configured.IsNull() {
		if text := os.Getenv(variable(argument)); text != "" && json.Unmarshal([]byte(text), &texts) != nil {
			r.invalid(argument, "must be a JSON object with string values and no duplicate names")
			return nil
		}
	}
	for name, value := range configured.Elements() {
		if text, isText := value.(types.String); isText {
			texts[name] = text.ValueStringPointer()
		}
	}
	headers := make(map[string]api.Secret, len(texts))
	for name, text := range texts {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		_, twice := headers[canonical]
		switch {
		case text == nil:
			r.invalid(argument, fmt.Sprintf("must not contain null for the header %q", name))
		case twice:
			r.invalid(argument, fmt.Sprintf("contains %s twice (header names are not case-sensitive)", canonical))
		case !httpguts.ValidHeaderFieldName(name):
			r.invalid(argument, fmt.Sprintf("contains %q, which is not a valid header name", name))
		case reservedHeaders[canonical]:
			r.invalid(argument, fmt.Sprintf("must not contain %s, which is reserved", canonical))
		case !httpguts.ValidHeaderFieldValue(*text):
			r.invalid(argument, fmt.Sprintf("contains control characters in the value for %q", name))
		default:
			headers[canonical] = api.NewSecret(*text)
		}
	}
	return headers
}

// reservedHeaders carry the credential, describe the body, or change how the connection works.
var reservedHeaders = map[string]bool{
	"Authorization": true, "Content-Type": true, "Content-Length": true, "Transfer-Encoding": true, "Host": true,
	"Accept": true, "Accept-Encoding": true, "Cache-Control": true, "User-Agent": true,
	"Connection": true, "Expect": true, "Te": true, "Trailer": true, "Upgrade": true,
}

func (r argumentReader) headerText(argument string, configured types.String) string {
	text := strings.TrimSpace(r.text(argument, configured))
	if !httpguts.ValidHeaderFieldValue(text) {
		r.invalid(argument, "must not contain control characters")
	}
	return text
}

// userAgent returns the value of the User-Agent header. It says CLI, because neither the protocol nor the environment
// shows whether the version is that of Terraform or of OpenTofu.
func userAgent(version, cliVersion, suffix string) string {
	parts := []string{"terraform-provider-embed/" + version}
	if cliVersion != "" {
		parts = append(parts, "(CLI "+cliVersion+")")
	}
	for _, more := range []string{os.Getenv("TF_APPEND_USER_AGENT"), suffix} {
		if more = strings.TrimSpace(more); more != "" && httpguts.ValidHeaderFieldValue(more) {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, " ")
}

// ClientFromEnvironment returns what a provider block without arguments configures, for commands that reach the
// service as the provider does. The error lists everything that is missing or invalid.
func ClientFromEnvironment(version string) (api.Config, error) {
	var diags diag.Diagnostics
	read := providerModel{}.settings(&diags)
	read.client.UserAgent = userAgent(version, "", read.userAgentSuffix)
	var faults []error
	for _, fault := range diags.Errors() {
		faults = append(faults, errors.New(fault.Detail()))
	}
	return read.client, errors.Join(faults...)
}

// Advice returns what to check or change after a failed call, or an empty string, for the same commands.
func Advice(call *api.Error) string {
	return strings.ReplaceAll(cmp.Or(obstacleWords[call.Obstacle], kindWords[call.Kind]), "{method}", call.Method)
}
