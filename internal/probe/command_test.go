package probe

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/settings"
)

// start starts an emulator.
func start(t *testing.T, options emulator.Options) *emulator.Emulator {
	t.Helper()
	service, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	return service
}

// variables returns the environment variables for an emulator.
func variables(service *emulator.Emulator) map[string]string {
	return map[string]string{
		"EMBED_BASE_URL": service.URL(), "EMBED_API_KEY": emulator.DefaultKey,
		"EMBED_HEADERS": `{"X-Gateway":"open"}`, "EMBED_DATA_SOURCE_PROVIDED_ID": "warehouse",
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	clears, demands := emulator.Options{Updates: emulator.UpdatesClear}, emulator.Options{DataSourceRequired: true}
	for name, test := range map[string]struct {
		options  emulator.Options
		args     string
		code     int
		out, err string // on standard output and standard error
	}{
		"safe":     {demands, "-environment Customer", 0, "needs it.\n\nQuestions: 23. To do first: 0.", "calls so far"},
		"all":      {demands, "-environment Customer -all", 0, "Nothing to do\n\n  The environment of the key is Cust", ""},
		"stopped":  {emulator.Options{}, "", 1, "\nThe probe ended early. The environment of the key is Customer.\n", ""},
		"not safe": {clears, "-environment Customer", 3, "Manage everything\n\n  What an update", ""},
		"no key":   {emulator.Options{}, "", 2, "", "missing or wrong:\nEMBED_API_KEY is required\n"},
		"no name":  {emulator.Options{}, "-environment production", 2, "", "must be Testing, Customer or none"},
		"no flag":  {emulator.Options{}, "-yes", 2, "", "-yes"},
		"argument": {emulator.Options{}, "Customer", 2, "", `unexpected argument "Customer"`},
		"help":     {emulator.Options{}, "-help", 0, "", "-environment Testing|Customer|none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := start(t, test.options)
			environment := variables(service)
			if name == "no key" {
				delete(environment, "EMBED_API_KEY")
			}
			getenv := func(name string) string { return environment[name] }
			var out, err bytes.Buffer
			code := Command(strings.Fields(test.args), getenv, &out, &err)
			if strings.Contains(out.String(), string(OK)) != strings.Contains(test.args, "-all") {
				t.Errorf("the report is\n%s", &out)
			}
			speaks := out.Len()+len(service.Calls()) > 0
			if code != test.code || speaks != (test.out != "") || !strings.Contains(out.String(), test.out) ||
				!strings.Contains(err.String(), test.err) || len(service.Groups()) > 0 {
				t.Errorf("exit code %d, want %d, left %v\n%s%s", code, test.code, service.Groups(), &err, &out)
			}
			for _, call := range service.Calls() {
				if call.Header.Get("X-Gateway") != "open" || call.Header.Get("User-Agent") != "terraform-provider-embed/probe" {
					t.Errorf("a call has the headers %v", call.Header)
				}
			}
		})
	}
}

// TestUsageNamesTheVariables: -help names every variable that the probe takes, and none that it ignores.
func TestUsageNamesTheVariables(t *testing.T) {
	t.Parallel()
	var out, usage bytes.Buffer
	if code := Command([]string{"-help"}, func(string) string { return "" }, &out, &usage); code != ExitSafe {
		t.Errorf("exit code %d", code)
	}
	for _, name := range settings.Names() {
		isTaken := !slices.Contains(ignored, name)
		if is := strings.Contains(usage.String(), "\n  "+settings.Variable(name)+"\n"); is != isTaken {
			t.Errorf("-help names %s: %t\n%s", settings.Variable(name), is, &usage)
		}
	}
}
