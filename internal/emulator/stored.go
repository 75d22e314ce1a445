package emulator

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func isLonger(text string, most int) bool { return most > 0 && utf8.RuneCountInString(text) > most }

// storedName returns a name as the service stores it.
func (o *Options) storedName(name string) string {
	if o.TrimNames {
		name = strings.TrimSpace(name)
	}
	if o.UnixLineEnds {
		name = strings.ReplaceAll(name, "\r\n", "\n")
	}
	if o.DecomposeNames {
		name = norm.NFD.String(name)
	}
	if o.EscapeNames {
		name = html.EscapeString(name)
	}
	if o.CutNames && isLonger(name, o.MaxNameLength) {
		name = string([]rune(name)[:o.MaxNameLength])
	}
	return name
}

// storedProperties returns properties as the service stores them: as written, unless an option changes a value.
func (o *Options) storedProperties(text json.RawMessage) json.RawMessage {
	if !o.Doubles && !o.DropNulls && !o.EmptyLists {
		return text
	}
	var properties any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&properties)
	text, _ = json.Marshal(o.storedValue(properties))
	return text
}

func (o *Options) storedValue(value any) any {
	switch value := value.(type) {
	case json.Number:
		if double, err := value.Float64(); err == nil && o.Doubles {
			return double
		}
	case []any:
		for i := range value {
			value[i] = o.storedValue(value[i])
		}
	case map[string]any:
		for name, member := range value {
			if value[name] = o.storedValue(member); member == nil && o.DropNulls {
				delete(value, name)
			}
		}
		if len(value) == 0 && o.EmptyLists {
			return []any{}
		}
	}
	return value
}
