// Package settings reads the arguments of the provider from its configuration and from the environment. The commands
// beside the provider use it to reach the service as the provider does.
package settings

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// Settings contains the validated arguments.
type Settings struct {
	Client       api.Config
	Groups       usergroup.Settings
	MaxDeletions *int64 // nil for no limit
}

// Source returns the text of an argument, in the notation of its environment variable. isSet reports whether the
// argument is set there, which it can be to an empty text. It then hides the environment variable.
type Source func(argument string) (text string, isSet bool)

// Fault is what is wrong with an argument. It never contains a value, which could be a key in the wrong place.
type Fault struct {
	Argument string
	// Why is a predicate without a subject, such as "must be …".
	Why string
	// IsMissing reports that the argument is required and has no value.
	IsMissing bool
}

// Variable returns the name of the environment variable of an argument.
func Variable(argument string) string { return "EMBED_" + strings.ToUpper(argument) }

// Names returns the names of all arguments.
func Names() (names []string) {
	for _, a := range arguments {
		names = append(names, a.name)
	}
	return names
}

// Read reads and validates all arguments, from the environment if the configuration does not set them. It does not stop
// at the first fault, so that one run shows all of them.
func Read(configured Source) (Settings, []Fault) {
	var v values
	var faults []Fault
	for _, a := range arguments {
		text, isSet := configured(a.name)
		if !isSet {
			text = os.Getenv(Variable(a.name))
		}
		faults = append(faults, a.faults(&v, cmp.Or(text, a.byDefault))...)
	}
	return v.Settings, append(faults, v.complete()...)
}

// Check validates each argument that the configuration sets. It needs neither the environment nor values that are not
// known yet, so it does not find what is missing, and not what is wrong only together with another argument.
func Check(configured Source) (faults []Fault) {
	for _, a := range arguments {
		if text, _ := configured(a.name); text != "" {
			faults = append(faults, a.faults(new(values), text)...)
		}
	}
	return faults
}

// FromEnvironment returns what a provider block without arguments configures. getenv returns the value of a variable,
// like os.Getenv. The error lists every variable that is missing or invalid.
func FromEnvironment(version string, getenv func(string) string) (Settings, error) {
	read, faults := Read(func(name string) (string, bool) { return getenv(Variable(name)), true })
	read.Client.UserAgent = UserAgent(version, "")
	var all []error
	for _, fault := range faults {
		all = append(all, fmt.Errorf("%s %s", Variable(fault.Argument), fault.Why))
	}
	return read, errors.Join(all...)
}

// UserAgent returns the value of the User-Agent header. It says CLI, because neither the protocol nor the environment
// shows whether the version is that of Terraform or of OpenTofu.
func UserAgent(version, cliVersion string) string {
	agent := "terraform-provider-embed/" + version
	if cliVersion != "" {
		agent += " (CLI " + cliVersion + ")"
	}
	if more := strings.TrimSpace(os.Getenv("TF_APPEND_USER_AGENT")); more != "" && httpguts.ValidHeaderFieldValue(more) {
		agent += " " + more
	}
	return agent
}

// errMissing is what is wrong with a required argument that has no value.
var errMissing = errors.New("is required")

// argument is a row of the table of arguments.
type argument struct {
	name      string
	required  bool
	byDefault string // as in the environment variable
	// parse validates a text that is not empty. The error is a predicate without a subject, and contains no value.
	parse func(text string, v *values) error
}

// values are the Settings, with the arguments that mean something only together with another one.
type values struct {
	Settings

	address          string
	allowHTTP        bool
	certificate, key string
}

// faults parses the text of an argument and returns what is wrong with it.
func (a argument) faults(v *values, text string) []Fault {
	err := error(nil)
	if text != "" {
		err = a.parse(text, v)
	} else if a.required {
		err = errMissing
	}
	if err == nil {
		return nil
	}
	return []Fault{{Argument: a.name, Why: err.Error(), IsMissing: errors.Is(err, errMissing)}}
}

// complete sets what takes two arguments, and returns what is wrong with them together.
func (v *values) complete() (faults []Fault) {
	if v.address != "" {
		address, err := api.ParseBaseURL(v.address, v.allowHTTP)
		if err != nil {
			faults = append(faults, Fault{Argument: "base_url", Why: err.Error() + ", and elsewhere with allow_http = true"})
		}
		v.Client.URL = address
		faults = append(faults, proxyFaults(address)...)
	}
	if v.certificate == "" && v.key == "" {
		return faults
	}
	pair, err := tls.X509KeyPair([]byte(v.certificate), []byte(v.key))
	if err != nil {
		faults = append(faults, Fault{Argument: "client_cert_pem", Why: fmt.Sprintf("and client_key_pem must contain a "+
			"certificate and its private key, in PEM format and without a passphrase (%s)", err)})
	}
	v.Client.ClientCertificate = &pair
	return faults
}

// proxyFaults returns what is wrong with the environment variable that names the proxy for an address.
func proxyFaults(address *url.URL) []Fault {
	if address == nil {
		return nil
	}
	err := api.ProxyFault(address)
	if err == nil {
		return nil
	}
	return []Fault{{Argument: "base_url", Why: "cannot be reached: " + err.Error()}}
}
