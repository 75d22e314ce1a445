package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The contenders that are always there.
const (
	nameOurs   = "embed"
	nameFloor  = "floor"
	nameEngine = "terraform_data"
	nameWire   = "wire"
)

//go:embed configurations
var configurations embed.FS

// contender is one way to have N groups.
type contender struct {
	name string
	// template of its configuration.
	template string
	// binary of its provider, empty for what the engine has built in.
	binary string
	// calls: it talks to the service, so that the latency matters.
	calls bool
	// set: its groups are over a set instead of a map.
	set bool
}

// source is the provider that the configuration asks for.
func (c contender) source() string {
	if found := sourcePattern.FindStringSubmatch(c.template); found != nil && c.binary != "" {
		return found[1]
	}
	return ""
}

var sourcePattern = regexp.MustCompile(`source\s*=\s*"([^"]+)"`)

// contenders are ours, its two floors and what others/ holds. A variant of ours is another binary with our configuration.
func contenders(built programs, variants []string) ([]contender, error) {
	read := func(name string) string {
		text, err := configurations.ReadFile("configurations/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		return string(text)
	}
	ours := read("embed.tf.tmpl")
	all := []contender{
		{name: nameOurs, template: ours, binary: built.provider, calls: true},
		{name: nameFloor, template: ours, binary: built.floor},
		{name: nameEngine, template: read("terraform_data.tf.tmpl")},
	}
	for _, variant := range variants {
		name, binary, ok := strings.Cut(variant, "=")
		if !ok {
			return nil, fmt.Errorf("-also %s: not name=path", variant)
		}
		all = append(all, contender{name: name, template: ours, binary: binary, calls: true})
	}
	found, err := filepath.Glob("others/*/main.tf.tmpl")
	if err != nil {
		return nil, err
	}
	for _, path := range found {
		name := filepath.Base(filepath.Dir(path))
		variable := "BENCH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		binary := os.Getenv(variable)
		if binary == "" {
			fmt.Fprintf(os.Stderr, "others/%s is left out: %s names no binary\n", name, variable)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, contender{name: name, template: string(text), binary: binary, calls: true})
	}
	taken := map[string]bool{nameWire: true}
	for _, c := range all {
		if taken[c.name] {
			return nil, fmt.Errorf("two contenders are called %s: their figures would be mixed", c.name)
		}
		taken[c.name] = true
	}
	return all, nil
}

// settings are what a configuration's template may use.
type settings struct {
	BaseURL, APIKey     string
	RequestsPerSecond   float64
	Backend             string
	Set, WithoutMapping bool
}

// customer is one entry of the map that every configuration has in var.customers.
type customer struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Tier   string `json:"tier"`
	Seats  int    `json:"seats"`
	Region string `json:"region"`
}

func customers(count int) map[string]customer {
	all := make(map[string]customer, count)
	for i := range count {
		id := fmt.Sprintf("customer-%05d", i)
		all[id] = customer{Name: "Customer " + id, Source: "source-" + id, Tier: "gold", Seats: i, Region: "eu"}
	}
	return all
}

func (s settings) render(text string) ([]byte, error) {
	parsed, err := template.New("main.tf").Parse(text)
	if err != nil {
		return nil, err
	}
	var configuration bytes.Buffer
	err = parsed.Execute(&configuration, s)
	return configuration.Bytes(), err
}

// write puts the configuration and its customers where the engine runs.
func (r *room) write(text string, with settings, groups map[string]customer) error {
	configuration, err := with.render(text)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.configuration(), "main.tf"), configuration, 0o600); err != nil {
		return err
	}
	return r.writeCustomers(groups)
}

func (r *room) writeCustomers(groups map[string]customer) error {
	values, err := json.Marshal(map[string]any{"customers": groups})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.configuration(), "customers.auto.tfvars.json"), values, 0o600)
}

// startService starts the service that all contenders talk to.
func startService(latency time.Duration, rateLimit int) (*emulator.Emulator, error) {
	return emulator.Start(emulator.Options{Latency: latency, RateLimit: rateLimit})
}

// takeCounts puts what the service saw since the last time into the sample, and has the service forget it. Refusals add up.
func takeCounts(service *emulator.Emulator, into *sample) {
	service.WaitIdle()
	into.Calls, into.Connections = map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, call := range service.Calls() {
		into.Calls[call.Method]++
		if call.Status == 429 {
			into.Refused++
		}
		if wave := call.Method + " " + call.Connection; !seen[wave] {
			seen[wave] = true
			into.Connections[call.Method]++
		}
	}
	service.ResetCounts()
}
