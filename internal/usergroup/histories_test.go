package usergroup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestHistories walks every history of an operation with a limited number of faults, and compares what the operation
// reports with what really happened. One fault at every call holds all rules, two hold promises 1 to 4 and 6.
func TestHistories(t *testing.T) {
	var count atomic.Int64
	all := scenes()
	t.Run("scene", func(t *testing.T) {
		for _, s := range all {
			search(t, &count, s.String(), func(t *testing.T, c *choices) *record { return s.play(t, c).record })
		}
	})
	t.Logf("%d scenes, %d histories", len(all), count.Load())
}

// operation is what is done to the group, as the provider does it.
type operation struct {
	// What the operation may do to the group.
	creates, writes, rotates, deletes bool
	// known means that the state has the group, and stored that it has its token.
	known, stored bool
	begins        []string
	do            func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error)
}

var (
	ofState   = []string{"exists", "stale", "absent", "replaced"}
	ofNoState = []string{"exists", "absent", "nameless", "alike"}
)

var operations = map[string]operation{
	"find":               {known: true, stored: true, begins: ofState, do: find},
	"import":             {begins: ofNoState[:3], do: find},
	"create":             {creates: true, begins: ofNoState, do: create(false)},
	"adopt":              {writes: true, begins: ofNoState, do: create(true)},
	"update":             {writes: true, known: true, stored: true, begins: ofState, do: update},
	"rotate":             {rotates: true, known: true, stored: true, begins: ofState, do: rotate},
	"delete":             {deletes: true, known: true, stored: true, begins: ofState, do: destroy},
	"rotate, not stored": {rotates: true, known: true, begins: ofState, do: rotate},
	"delete, not stored": {deletes: true, known: true, begins: ofState, do: destroy},
}

func find(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return s.Find(ctx, prior)
}

func create(adopt bool) func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error) {
	return func(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
		return s.Create(ctx, wanted(prior.ID), adopt)
	}
}

func update(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return s.Update(ctx, wanted(prior.ID), prior)
}

func rotate(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return s.RotateToken(ctx, prior)
}

func destroy(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return s.Delete(ctx, prior)
}

// variants are what services make of the contract.
var variants = map[string]emulator.Options{
	"stored":         {},
	"echo":           {Answers: emulator.AnswersEcho},
	"merging":        {Updates: emulator.UpdatesMerge},
	"clearing":       {Updates: emulator.UpdatesClear},
	"success 0":      {Refusals: emulator.RefusalsSuccessZero},
	"stale 401":      {StaleTokenStatus: http.StatusUnauthorized},
	"stale 500":      {StaleTokenStatus: http.StatusInternalServerError},
	"name required":  {NameRequired: true},
	"defaults":       {DefaultName: "New user group", DefaultProperties: `{"plan":"free"}`},
	"reused numbers": {ReuseTeamIDs: true},
}

// priorOf returns what the state has about a group.
func (o operation) priorOf(group emulator.Group) usergroup.Prior {
	if !o.known {
		return usergroup.Prior{ID: group.ID}
	}
	token := api.NewSecret(group.Token)
	prior := usergroup.Prior{
		ID: group.ID, Name: group.Name, TeamID: strconv.FormatInt(group.TeamID, 10),
		Fingerprint: token.Fingerprint(), Instance: "first",
	}
	if o.stored {
		prior.Token = token
	}
	return prior
}

// scene is the start of histories. An environment is what the provider expects; the API key opens Customer.
type scene struct {
	operation
	named                        string
	begins, variant, environment string
}

func (s scene) String() string {
	return strings.TrimSuffix(strings.Join([]string{s.named, s.begins, s.variant, s.environment}, "/"), "/")
}

func scenes() (all []scene) {
	for named, o := range operations {
		for _, begins := range o.begins {
			for variant := range variants {
				if !o.writes && (variant == "merging" || variant == "clearing") {
					continue // It behaves as stored.
				}
				all = append(all, scene{o, named, begins, variant, ""})
			}
			for _, environment := range []string{"Customer", "Testing"} {
				if begins == "exists" || begins == "absent" {
					all = append(all, scene{o, named, begins, "stored", environment})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b scene) int { return strings.Compare(a.String(), b.String()) })
	return all
}

const (
	mostAttempts = 60
	mostTime     = 10 * time.Minute
)

// history is one path of the search.
type history struct {
	scene
	*ledger

	choices  *choices
	budget   int
	script   []string // takes the place of the choices
	creation reply    // the response to the creation of the group
	// neighbor and newNeighbor are the responses to the lookup and to the creation of another group.
	neighbor, newNeighbor reply
	cached                func(body string) (key string)
	cache                 map[string]reply
	late                  []*http.Request // the service carries them out after the next attempt
	attempts              int
	log                   []string // the attempts, with their faults
	transient             bool     // all faults so far were transient
	acted                 bool     // another client has changed something
	renamed               bool     // it has renamed the group
	handed                string   // the last new token that arrived
	stop                  context.CancelFunc
	took                  time.Duration
}

// start returns the history at its beginning.
func (s scene) start() *history {
	h := &history{scene: s, transient: true}
	h.ledger = newLedger(&record{scene: s.String()}, variants[s.variant], &actor{operation: s.operation, name: "we"})
	if s.environment == "Testing" { // Nothing may be changed with the wrong key.
		h.actor.writes, h.actor.rotates, h.actor.deletes = false, false, false
	}
	h.made(h.Seed(emulator.Group{ID: "neighbor", Name: "Neighbor"}), before)
	h.neighbor = h.lookUp("neighbor")
	h.newNeighbor = isNew(h.neighbor)
	group := emulator.Group{ID: id, Name: oldName, Properties: json.RawMessage(`{"tier":"silver","seats":5}`)}
	switch s.begins {
	case "nameless":
		group = emulator.Group{ID: id}
	case "alike":
		group = emulator.Group{ID: id, Name: newName, Properties: json.RawMessage(wantedProperties)}
	}
	made := h.Seed(emulator.Group{ID: id})
	h.creation = isNew(h.lookUp(id))
	group.TeamID, group.Token = made.TeamID, made.Token
	h.made(h.Seed(group), before)
	h.actor.prior = s.priorOf(group)
	switch s.begins {
	case "absent":
		h.Remove(id)
	case "stale":
		h.RotateBehind(id)
	case "replaced":
		h.Remove(id)
		h.made(h.Seed(emulator.Group{ID: id, Name: "Theirs"}), another)
	}
	h.seen()
	h.events, h.broken = nil, nil
	return h
}

// lookUp returns the response to the lookup of a group that exists, and isNew that to its creation.
func (h *history) lookUp(id string) reply {
	body := strings.NewReader(`{"user_group_id":"` + id + `","name":"` + id + `"}`)
	r := httptest.NewRequest(http.MethodGet, "/api/user", body)
	r.Header.Set("Authorization", "Token "+emulator.DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	return serve(h, r)
}

func isNew(r reply) reply {
	r.body = bytes.Replace(r.body, []byte(`"new_user_group":false`), []byte(`"new_user_group":true`), 1)
	return r
}

// play plays and checks a history.
func (s scene) play(t *testing.T, c *choices) *history {
	h := s.start()
	h.choices, h.budget = c, *faultsFlag
	h.operate(t.Context())
	h.check()
	return h
}

// retries is how many retries an operation has. With two faults, it can use up all.
func retries(faults int) int {
	if faults > 1 {
		return 1
	}
	return maxRetries
}

// operate carries out the operation, and then what is late.
func (h *history) operate(ctx context.Context) {
	ctx, h.stop = context.WithCancel(ctx)
	defer h.stop()
	begun := time.Now()
	settings := usergroup.Settings{Environment: h.environment}
	if variants[h.variant].NameRequired {
		settings.LookupFields = []string{"name"}
	}
	service := newService(h, retries(h.budget), settings)
	h.actor.operate(ctx, h.ledger, service)
	h.took = time.Since(begun)
	for _, work := range h.late {
		serve(h, work)
	}
}
