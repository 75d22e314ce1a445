package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

type exported struct{ Key Secret }

type unexported struct {
	key  Secret
	list []Secret
	deep struct{ key Secret }
}

// TestSecretNeverPrints: no verb may print a secret, however it is wrapped. Unexported fields are the pitfall,
// because fmt cannot call the methods of their values and prints the contents.
func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	secret := NewSecret(plantedKey)
	hidden := unexported{key: secret, list: []Secret{secret}}
	hidden.deep.key = secret
	holders := map[string]any{
		"itself": secret, "pointer": &secret, "struct": exported{secret}, "pointer to struct": &exported{secret},
		"unexported": hidden, "pointer to unexported": &hidden, "slice": []Secret{secret}, "array": [1]Secret{secret},
		"map value": map[string]Secret{"k": secret}, "map key": map[Secret]int{secret: 1}, "any": []any{secret},
		"config": Config{APIKey: secret, Headers: map[string]Secret{"X": secret}, ProxyURL: secret},
		"client": newClient(t, "https://service.example.com", func(c *Config) {
			c.ProxyURL = NewSecret("http://user:" + plantedKey + "@proxy")
		}),
		"call": call{secret: secret}, "token request": TokenRequest{CurrentToken: secret},
		"answer": Answer{UserGroup: UserGroup{Token: secret}}, "error": error(&Error{cause: errors.New("x")}),
		"unexported map": struct{ m map[Secret]Secret }{map[Secret]Secret{secret: secret}},
		"body":           toLog(t, `{"token":"`+plantedKey+`"}`),
	}
	spellings := []string{ // in which fmt might print a secret
		plantedKey, fmt.Sprintf("%x", plantedKey), fmt.Sprintf("%X", plantedKey), fmt.Sprintf("% x", plantedKey),
		fmt.Sprintf("%U", []rune(plantedKey))[1:20], strings.Trim(fmt.Sprintf("%d", []byte(plantedKey)), "[]"),
	}
	for name, holder := range holders {
		for verb := range strings.SplitSeq("v +v #v s q x X d o b c t T p e g U w 08d -20s +q #q # x 5.2f", " ") {
			if _, body := holder.(loggedBody); body && (verb == "p" || verb == "w") {
				continue // No value can change how fmt reports that these verbs are wrong.
			}
			text := fmt.Sprintf("%"+verb, holder)
			for _, spelling := range spellings {
				if strings.Contains(text, spelling) {
					t.Errorf("%s with %%%s: %s", name, verb, text)
				}
			}
		}
		wantAbsent(t, name+" with Sprint", fmt.Sprint(holder)+fmt.Sprintln(holder), plantedKey)
		if encoded, err := json.Marshal(holder); err == nil {
			wantAbsent(t, name+" as JSON", string(encoded), plantedKey)
		}
		var log bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			logger := slog.New(handler)
			logger.InfoContext(t.Context(), "m", "holder", holder, slog.Group("g", "holder", holder))
			logger.With("holder", holder).Log(context.WithoutCancel(t.Context()), slog.LevelError, "m")
		}
		wantAbsent(t, name+" in slog", log.String(), plantedKey)
	}
}

// TestSecretSaysThatItIsOne: a secret must print as a mask, not as nothing, so that a reader sees that it exists.
func TestSecretSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	secret := NewSecret(plantedKey)
	printed := fmt.Sprintf("%v%#v%s%x", secret, secret, secret, secret) + secret.String() + secret.LogValue().String()
	if want := strings.Repeat(mask, 6); printed != want {
		t.Errorf("printed as %s, want %s", printed, want)
	}
	encoded, err := json.Marshal(map[Secret]exported{secret: {secret}})
	if err != nil || string(encoded) != `{"(secret)":{"Key":"(secret)"}}` {
		t.Errorf("JSON: %s, %v", encoded, err)
	}
}
