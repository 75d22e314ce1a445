package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// customersFile is the demo's copy of customers.yaml. Each edit returns the lines that changed, marked as a diff marks
// them.
type customersFile struct{ path string }

func (f *customersFile) count() (int, error) {
	text, err := os.ReadFile(f.path)
	return strings.Count(string(text), "\n- id:"), err
}

// change replaces a text that the entry of the customer has exactly once.
func (f *customersFile) change(id, from, to string) ([]string, error) {
	text, entry, err := f.entry(id)
	if err != nil {
		return nil, err
	}
	if strings.Count(entry, from) != 1 {
		return nil, fmt.Errorf("customers.yaml: the entry of %s must have %q once", id, from)
	}
	changed := strings.Replace(entry, from, to, 1)
	return diff(entry, changed), f.write(strings.Replace(text, entry, changed, 1))
}

// add appends the entry of a new customer.
func (f *customersFile) add(entry string) ([]string, error) {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	added := strings.TrimRight(string(text), "\n") + "\n\n" + entry
	return diff("", entry), f.write(added)
}

// drop removes the entry of a customer.
func (f *customersFile) drop(id string) ([]string, error) {
	text, entry, err := f.entry(id)
	if err != nil {
		return nil, err
	}
	return diff(entry, ""), f.write(strings.TrimRight(strings.Replace(text, entry, "", 1), "\n") + "\n")
}

func (f *customersFile) write(text string) error { return os.WriteFile(f.path, []byte(text), 0o600) }

// entry returns the whole text and the part of it that is the customer's entry, up to the blank line.
func (f *customersFile) entry(id string) (text, entry string, err error) {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return "", "", err
	}
	text = string(content)
	at := strings.Index(text, "\n- id: "+id+"\n")
	if at < 0 {
		return "", "", fmt.Errorf("customers.yaml has no entry for %s", id)
	}
	entry, _, _ = strings.Cut(text[at+1:], "\n\n")
	return text, strings.TrimRight(entry, "\n") + "\n", nil
}

// diff shows how one text became another, with the first line as the place where to look.
func diff(before, after string) []string {
	old, now := lines(before), lines(after)
	same := 0
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	place := old[:min(same, 1)]
	old, now = old[same:], now[same:]
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	return slices.Concat(marked("  ", place), marked("- ", old), marked("+ ", now))
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

func marked(mark string, lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = mark + line
	}
	return all
}
