package settings

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// The bounds of arguments that are numbers.
const (
	mostRetries, mostDeletions = 100, 1_000_000
	leastRate                  = 0.01
)

// What lists of words can contain: environments are interface section 2.2.
var (
	environments = []string{"Customer", "Testing"}
	lookupFields = slices.Sorted(maps.Keys(usergroup.LookupFields))
)

// arguments are all arguments of the provider. The schema in package provider has their types and descriptions.
var arguments = []argument{
	{name: "base_url", required: true, parse: parseAddress},
	{name: "api_key", required: true, parse: parseKey},
	{name: "environment", parse: parsed(oneOf(environments), func(v *values, tag string) {
		v.Groups.Environment = tag
	})},
	{name: "data_source_provided_id", parse: parsed(anyText, func(v *values, id string) {
		v.Groups.DataSourceProvidedID = id
	})},
	{name: "lookup_fields", parse: parsed(listOf(lookupFields), func(v *values, fields []string) {
		v.Groups.LookupFields = fields
	})},
	{name: "max_deletions", parse: parsed(wholeNumber(mostDeletions), func(v *values, most int64) {
		v.MaxDeletions = &most
	})},
	{name: "allow_http", parse: parsed(flag, func(v *values, allow bool) { v.allowHTTP = allow })},
	{name: "headers", parse: parsed(headers, func(v *values, all map[string]api.Secret) { v.Client.Headers = all })},
	{name: "ca_cert_pem", parse: parsed(authorities, func(v *values, pool *x509.CertPool) { v.Client.RootCAs = pool })},
	{name: "client_cert_pem", parse: parsed(anyText, func(v *values, pem string) { v.certificate = pem })},
	{name: "client_key_pem", parse: parsed(anyText, func(v *values, pem string) { v.key = pem })},
	{name: "request_timeout", byDefault: "30s", parse: parsed(duration, func(v *values, limit time.Duration) {
		v.Client.RequestTimeout = limit
	})},
	{name: "max_retries", byDefault: "4", parse: parsed(wholeNumber(mostRetries), func(v *values, most int64) {
		v.Client.MaxRetries = int(most)
	})},
	{name: "retry_wait_max", byDefault: "30s", parse: parsed(duration, func(v *values, most time.Duration) {
		v.Client.RetryWaitMax = most
	})},
	{name: "requests_per_second", parse: parsed(rate, func(v *values, limit float64) {
		v.Client.RequestsPerSecond = limit
	})},
}

// parsed returns the parse function of an argument that is parsed and then set.
func parsed[T any](parse func(string) (T, error), set func(*values, T)) func(string, *values) error {
	return func(text string, v *values) error {
		value, err := parse(text)
		if err == nil {
			set(v, value)
		}
		return err
	}
}

func anyText(text string) (string, error) { return text, nil }

func oneOf(words []string) func(string) (string, error) {
	wanted := "must be " + strings.Join(words, " or ")
	return func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", errors.New(wanted)
		}
		return text, nil
	}
}

// listOf parses words that are separated by commas, with or without spaces.
func listOf(words []string) func(string) ([]string, error) {
	wanted := "must be a list of any of " + strings.Join(words, ", ")
	return func(text string) (list []string, err error) {
		for word := range strings.SplitSeq(text, ",") {
			word = strings.TrimSpace(word)
			if !slices.Contains(words, word) {
				return nil, errors.New(wanted)
			}
			list = append(list, word)
		}
		return list, nil
	}
}

func wholeNumber(most int64) func(string) (int64, error) {
	return func(text string) (int64, error) {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil || number < 0 || number > most {
			return 0, fmt.Errorf("must be a whole number between 0 and %d", most)
		}
		return number, nil
	}
}

func rate(text string) (float64, error) {
	number, err := strconv.ParseFloat(text, 64)
	if isEnough := number >= leastRate; err != nil || !isEnough { // NaN is not enough.
		return 0, fmt.Errorf("must be a number of at least %v", leastRate)
	}
	return number, nil
}

func duration(text string) (time.Duration, error) {
	length, err := time.ParseDuration(text)
	if err != nil || length <= 0 {
		return 0, errors.New(`must be a duration above zero, such as "30s", "500ms" or "2m"`)
	}
	return length, nil
}

func flag(text string) (bool, error) {
	yes, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("must be true or false")
	}
	return yes, nil
}

func authorities(text string) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, errors.New("must be one or more certificates in PEM format")
	}
	return pool, nil
}

func parseAddress(text string, v *values) error {
	// Whether plain http will do, another argument decides.
	if _, err := api.ParseBaseURL(text, true); errors.Is(err, api.ErrCredentials) {
		return fmt.Errorf("%w; the key goes into api_key", err)
	} else if err != nil {
		return err
	}
	v.address = text
	return nil
}

func parseKey(text string, v *values) error {
	key := strings.TrimSpace(text)
	if key == "" {
		return errMissing
	}
	if hidden, found := Invisible(key); found {
		return fmt.Errorf("must be a single line without invisible characters; it contains %U", hidden)
	}
	v.Client.APIKey = api.NewSecret(key)
	return nil
}

// Invisible returns the first character of a text that cannot be seen.
func Invisible(text string) (rune, bool) {
	for _, r := range text {
		// The only white space that IsPrint accepts is the ASCII space.
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return r, true
		}
	}
	return 0, false
}

// reservedHeaders carry the credential, describe the body, or change how the connection works.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Cache-Control", "Connection", "Content-Length", "Content-Type",
	"Expect", "Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

func headers(text string) (map[string]api.Secret, error) {
	texts := map[string]string{}
	if json.Unmarshal([]byte(text), &texts) != nil {
		return nil, errors.New("must be a JSON object with string values")
	}
	all := make(map[string]api.Secret, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		value := texts[name]
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		_, twice := all[canonical]
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			// The name is not shown: "X-Key: secret" is a name to somebody who thinks of curl.
			return nil, errors.New("contains a name that is not a valid header name, such as one with a space or a colon")
		case twice:
			return nil, fmt.Errorf("contains %s twice (header names are not case-sensitive)", canonical)
		case slices.Contains(reservedHeaders, canonical):
			return nil, fmt.Errorf("must not contain %s, which is reserved", canonical)
		case value == "" || !httpguts.ValidHeaderFieldValue(value):
			return nil, fmt.Errorf("has no value for %q, or one with control characters", name)
		}
		all[canonical] = api.NewSecret(value)
	}
	return all, nil
}
